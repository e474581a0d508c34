import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Server as HttpsServer } from 'node:https';
import type { Socket } from 'node:net';
import { refuseForeignPages } from './foreign-pages.ts';

/** The only address that the parts of the stack listen on. */
export const loopbackHost = '127.0.0.1';

export type LoopbackServer = {
  readonly port: number;
  /** Origin, with the address instead of a host name. */
  readonly url: string;
  /** Whether the server accepts connections; `false` once closing has begun. */
  readonly isOpen: () => boolean;
  /**
   * Stops accepting connections, gives requests in flight `drainMs` to finish (default 0), then closes every
   * connection, including idle and half-open ones. Resolves when the port is free again.
   */
  close(drainMs?: number): Promise<void>;
};

/** The request body exceeds the reader's limit. */
export class BodyTooLargeError extends Error {
  override readonly name = 'BodyTooLargeError';
}

/**
 * Listens on loopback, and answers programs and the server's own pages only.
 *
 * @param port 0 picks a free port
 * @param hostnames names of the server besides those of loopback; `any` for a server behind a tunnel, which must
 *   authenticate its requests itself
 * @throws Error that names the port when another program listens there
 */
export async function listenOnLoopback(
  server: Server | HttpsServer,
  port: number,
  hostnames: readonly string[] | 'any' = [],
): Promise<LoopbackServer> {
  if (hostnames !== 'any') refuseForeignPages(server, hostnames);
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  // Longer than clients keep an idle connection, so that no client sends into a connection that is closing.
  server.keepAliveTimeout = 120_000;
  server.listen({ host: loopbackHost, port, exclusive: true });
  await once(server, 'listening').catch((error: NodeJS.ErrnoException) => {
    throw describeBindError(error, port);
  });
  const address = server.address();
  const boundPort = typeof address === 'object' && address !== null ? address.port : port;
  const scheme = server instanceof HttpsServer ? 'https' : 'http';
  return {
    port: boundPort,
    // An origin omits the default port.
    url: new URL(`${scheme}://${loopbackHost}:${boundPort}`).origin,
    isOpen: () => server.listening,
    close: (drainMs = 0) => closeServer(server, sockets, drainMs),
  };
}

/**
 * Reads a whole body into memory.
 *
 * @throws BodyTooLargeError when it exceeds the limit, after reading and discarding the rest: a client that is still
 *   sending would not see the response
 */
export async function readBody(request: IncomingMessage, limitBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request) {
    const bytes = Buffer.from(chunk);
    length += bytes.length;
    if (length <= limitBytes) chunks.push(bytes);
    else chunks.length = 0;
  }
  if (length > limitBytes) throw new BodyTooLargeError(`The body is over ${limitBytes} bytes`);
  return Buffer.concat(chunks, length);
}

/** Sends a JSON document. `type` is the exact content type of the caller's protocol. */
export function sendJson(response: ServerResponse, status: number, body: unknown, type = 'application/json'): void {
  const bytes = Buffer.from(JSON.stringify(body));
  response.writeHead(status, { 'content-type': type, 'content-length': bytes.length });
  response.end(bytes);
}

/** Explains a failed bind. The advice fits the API, the only part whose port is not replaced by a free one. */
function describeBindError(error: NodeJS.ErrnoException, port: number): Error {
  if (error.code !== 'EADDRINUSE') return error;
  return new Error(
    `Port ${port} on ${loopbackHost} is in use: stop the program that listens there, or choose another with --port`,
    { cause: error },
  );
}

async function closeServer(server: Server | HttpsServer, sockets: ReadonlySet<Socket>, drainMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  if (drainMs === 0) cut();
  const timer = setTimeout(cut, drainMs);
  await closed;
  clearTimeout(timer);
}
