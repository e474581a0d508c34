import type { ClientRequest, IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Socket } from 'node:net';
import type { EndpointUrl } from '../domain/endpoint-url.ts';
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
const maxInterimResponses = 100;

/** What may still arrive after the head so that the connection can be used again; no byte of it is looked at. */
const maxDrainedBytes = 16 * 1024;
const maxDrainMs = 500;

/**
 * Sends one POST and answers with the status as soon as the head of the response is complete. Redirects are
 * not followed, the body is neither decoded nor kept, and nothing is ever sent a second time.
 *
 * @throws AttemptFailure when there is no complete head
 */
export function exchange(options: Exchange): Promise<number> {
  options.progress.begin('firstByteMs');
  const request = openRequest(options);
  const status = statusOf(request, options.progress);
  options.signal.addEventListener('abort', () => request.destroy(), { once: true });
  stopInterimFlood(request);
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
    // A header of ours that must not be sent: no request owns the connection now.
    connection.socket.destroy();
    throw fault;
  }
}

function statusOf(request: ClientRequest, progress: AttemptProgress): Promise<number> {
  return new Promise<number>((resolve, reject) => {
    const fail = (error?: unknown) => reject(failureOf(error, 'firstByteMs'));
    const lost = () => fail();
    const answer = (response: IncomingMessage) => {
      request.off('close', lost);
      resolve(response.statusCode ?? 0);
    };
    request.once('socket', (socket) => noteFirstByte(request, socket, progress));
    request.once('response', (response) => {
      answer(response);
      drain(request, response);
    });
    // Nobody asked for another protocol, so this is an answer like any other, and the end of the connection.
    request.once('upgrade', (response, socket) => {
      answer(response);
      socket.destroy();
    });
    request.on('error', fail);
    request.once('close', lost);
  }).then(refuseUnknownStatus);
}

function refuseUnknownStatus(status: number): number {
  if (status < 100) {
    throw new AttemptFailure('invalid_response', 'The answer has no valid HTTP status.');
  }
  return status;
}

function noteFirstByte(request: ClientRequest, socket: Socket, progress: AttemptProgress): void {
  const note = () => progress.end();
  socket.once('data', note);
  request.once('close', () => socket.off('data', note));
}

/** Interim responses may follow each other without end. Reading them all would take the time of other attempts. */
function stopInterimFlood(request: ClientRequest): void {
  let count = 0;
  request.on('information', () => {
    count += 1;
    if (count === maxInterimResponses) {
      // Not at once: the parser, which is still in this chunk, would set the socket going again.
      process.nextTick(() => request.socket?.pause());
    }
  });
}

function drain(request: ClientRequest, response: IncomingMessage): void {
  let drained = 0;
  const timer = setTimeout(() => request.destroy(), maxDrainMs);
  timer.unref();
  request.once('close', () => clearTimeout(timer));
  response.on('error', () => {});
  response.on('data', (chunk: Uint8Array) => {
    drained += chunk.byteLength;
    if (drained > maxDrainedBytes) {
      request.destroy();
    }
  });
}
