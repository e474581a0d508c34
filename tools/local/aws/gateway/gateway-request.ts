import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { type Header, headerList } from '../../servers/header-list.ts';
import { forwardable } from './header-rules.ts';

/** A request of a client. */
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

/** @returns the request without its body; `null` for a path outside of the stage */
export function requestHead(incoming: IncomingMessage, stagePath: string): GatewayRequest | null {
  // A client of a proxy sends the whole URL as the request target.
  const target = (incoming.url ?? '').replace(/^https?:\/\/[^/?]*/i, '') || '/';
  const [path = '', ...query] = target.split('?');
  if (path !== stagePath && !path.startsWith(`${stagePath}/`)) return null;
  return {
    requestId: randomUUID(),
    receivedAt: Date.now(),
    method: incoming.method ?? 'GET',
    stagePath,
    path: path.slice(stagePath.length) || '/',
    query: new URLSearchParams(query.join('?')),
    headers: forwardable(headerList(incoming.rawHeaders)),
    sourceIp: (incoming.socket.remoteAddress ?? '127.0.0.1').replace(/^::ffff:/, ''),
    body: Buffer.alloc(0),
  };
}

/** Bytes of the request line and the headers on the wire. */
export function headBytes({ method, url, rawHeaders }: IncomingMessage): number {
  const line = Buffer.byteLength(`${method} ${url} HTTP/1.1\r\n`);
  return rawHeaders.reduce((sum, text) => sum + Buffer.byteLength(text) + 2, line + 2);
}

/** Whether `Content-Length` is over the limit. */
export function announcesTooLargeBody(incoming: IncomingMessage): boolean {
  return Number(incoming.headers['content-length'] ?? 0) > gatewayLimits.bodyBytes;
}
