import type { ClientRequest, IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Socket } from 'node:net';
import type { EndpointUrl } from '#shared/domain/endpoint-url.ts';
import { AttemptFailure, failureOf } from './attempt-failure.ts';
import type { AttemptProgress } from './attempt-progress.ts';
import type { ConnectionPool, PooledConnection, PooledRequestOptions } from './connection-pool.ts';

export type Exchange = {
  readonly pool: ConnectionPool;
  readonly connection: PooledConnection;
  readonly url: EndpointUrl;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  readonly progress: AttemptProgress;
  readonly signal: AbortSignal;
};

const maxHeadBytes = 16 * 1024;

/**
 * Maximum bytes until the response headers are complete, and again for the rest of the response, after which the
 * connection can be reused. Interim responses, line ends and framing can be endless, and reading them would take time
 * from other attempts.
 */
const maxBytes = 32 * 1024;
const maxDrainMs = 500;

/**
 * Sends one POST and resolves with the status as soon as the response headers are complete. Redirects are not followed,
 * the body is neither decoded nor kept, and nothing is ever sent a second time.
 *
 * @throws AttemptFailure without complete response headers
 */
export function exchange(options: Exchange): Promise<number> {
  options.progress.begin('firstByteMs');
  const request = openRequest(options);
  const status = statusOf(request, options.progress);
  options.signal.addEventListener('abort', () => request.destroy(), { once: true });
  request.end(options.body);
  return status;
}

function openRequest({ pool, connection, url, headers, body }: Exchange): ClientRequest {
  const given: PooledRequestOptions = {
    agent: pool,
    connection,
    method: 'POST',
    host: url.hostname,
    port: url.port,
    path: url.path,
    maxHeaderSize: maxHeadBytes,
    headers: {
      Host: url.host,
      ...headers,
      'Accept-Encoding': 'identity',
      'Content-Length': body.byteLength,
    },
  };
  try {
    return httpsRequest(given);
  } catch (fault) {
    // Node refused one of the headers: no request owns the connection now.
    connection.socket.destroy();
    throw fault;
  }
}

function statusOf(request: ClientRequest, progress: AttemptProgress): Promise<number> {
  return new Promise<number>((resolve, reject) => {
    const fail = (error?: unknown) =>
      reject(error instanceof AttemptFailure ? error : failureOf(error, 'firstByteMs'));
    const lost = () => fail();
    const answer = (response: IncomingMessage) => {
      request.off('close', lost);
      resolve(response.statusCode ?? 0);
    };
    request.once('socket', (socket) => watchBytes(request, socket, progress));
    request.once('response', (response) => {
      answer(response);
      drain(request, response);
    });
    // No upgrade was requested, so this is an ordinary response, and the end of the connection.
    request.once('upgrade', (response, socket) => {
      answer(response);
      socket.destroy();
    });
    request.on('error', fail);
    request.once('close', lost);
  }).then(refuseUnknownStatus);
}

function refuseUnknownStatus(status: number): number {
  if (status < 100) throw new AttemptFailure('invalid_response', 'The response has no valid HTTP status');
  return status;
}

/**
 * Counts bytes on the socket, because the parser reports only some of them. The listener runs after the parser, so a
 * chunk with the end of the headers counts towards the rest of the response.
 */
function watchBytes(request: ClientRequest, socket: Socket, progress: AttemptProgress): void {
  let left = maxBytes;
  const noteFirst = () => progress.end();
  const count = (chunk: Uint8Array) => {
    left -= chunk.byteLength;
    if (left < 0) {
      request.destroy(new AttemptFailure('invalid_response', 'The response headers are too large'));
    }
  };
  socket.once('data', noteFirst).on('data', count);
  request.once('response', () => {
    left = maxBytes;
  });
  request.once('close', () => socket.off('data', noteFirst).off('data', count));
}

function drain(request: ClientRequest, response: IncomingMessage): void {
  const timer = setTimeout(() => request.destroy(), maxDrainMs);
  timer.unref();
  request.once('close', () => clearTimeout(timer));
  response.on('error', () => {}).resume();
}
