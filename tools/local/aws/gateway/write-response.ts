import { randomUUID } from 'node:crypto';
import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { ApiModel } from '../../template/api-model.ts';
import type { GatewayRequest } from './gateway-request.ts';
import { gatewayResponse } from './gateway-response.ts';
import type { HttpResponse } from './proxy-result.ts';

/** @throws TypeError when HTTP does not allow a header; nothing has been written then */
export function writeResponse(
  response: ServerResponse,
  { requestId }: GatewayRequest,
  { status, headers, body }: HttpResponse,
): void {
  for (const name of response.getHeaderNames()) response.removeHeader(name);
  for (const [name, value] of headers) response.setHeader(name, value);
  response.setHeader('x-amzn-RequestId', requestId);
  if (status !== 204 && status !== 304) response.setHeader('Content-Length', body.length);
  response.writeHead(status);
  response.end(body);
}

/** Answers a request that Node could not parse, for which it offers only the socket. */
export function refuseMalformed(api: ApiModel | undefined, socket: Duplex): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const { status, headers, body } = gatewayResponse(api, 'DEFAULT_4XX', randomUUID());
  const all = [...headers, ['Content-Length', String(body.length)], ['Connection', 'close']];
  const head = all.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head}\r\n${body.toString()}`);
}
