import type { IncomingMessage } from 'node:http';
import { type Header, headerList } from '../../servers/header-list.ts';
import { forwardable } from './header-rules.ts';

/** A request with its whole body. */
export type GatewayRequest = {
  readonly requestId: string;
  /** Epoch milliseconds. */
  readonly receivedAt: number;
  readonly method: string;
  /** The path of the stage, such as `/dev`; empty at a domain of its own. */
  readonly stagePath: string;
  /** Undecoded, below the path of the stage, and without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** In the order and spelling of the client, without the headers that API Gateway does not forward to functions. */
  readonly headers: readonly Header[];
  readonly sourceIp: string;
  readonly body: Buffer;
};

/** API Gateway's limits. */
export const gatewayLimits = {
  bodyBytes: 10 * 1024 * 1024,
  /** Request line and headers together. */
  headBytes: 10_240,
  integrationTimeoutMs: 29_000,
} as const;

/** @returns `null` for a path outside of the stage */
export function requestHead(
  incoming: IncomingMessage,
  stagePath: string,
): Pick<GatewayRequest, 'method' | 'stagePath' | 'path' | 'query' | 'headers' | 'sourceIp'> | null {
  const target = originForm(incoming.url ?? '/');
  const question = target.indexOf('?');
  const path = question === -1 ? target : target.slice(0, question);
  if (path !== stagePath && !path.startsWith(`${stagePath}/`)) return null;
  return {
    method: incoming.method ?? 'GET',
    stagePath,
    path: path.slice(stagePath.length) || '/',
    query: new URLSearchParams(question === -1 ? '' : target.slice(question + 1)),
    headers: forwardable(headerList(incoming.rawHeaders)),
    sourceIp: (incoming.socket.remoteAddress ?? '127.0.0.1').replace(/^::ffff:/, ''),
  };
}

/** Bytes of the request line and the headers on the wire. */
export function headBytes(incoming: IncomingMessage): number {
  const line = `${incoming.method} ${incoming.url} HTTP/1.1\r\n`;
  const headers = incoming.rawHeaders.reduce((sum, text) => sum + Buffer.byteLength(text) + 2, 0);
  return Buffer.byteLength(line) + headers + 2;
}

/** Whether `Content-Length` is over the limit. */
export function announcesTooLargeBody(incoming: IncomingMessage): boolean {
  return Number(incoming.headers['content-length'] ?? 0) > gatewayLimits.bodyBytes;
}

/** Removes the origin: a client of a proxy sends the whole URL as the request target. */
function originForm(target: string): string {
  return target.replace(/^https?:\/\/[^/?]*/i, '') || '/';
}
