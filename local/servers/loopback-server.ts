import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Server as HttpsServer } from 'node:https';
import type { Socket } from 'node:net';
import { refuseForeignPages } from './foreign-pages.ts';

/** Every part of the stack listens here and nowhere else. */
export const loopbackHost = '127.0.0.1';

export type LoopbackServer = {
  readonly port: number;
  /** Ends every connection, also idle and half-open ones, and resolves when the port is free again. */
  close(): Promise<void>;
};

/** A request body grew over what its reader takes. */
class BodyTooLargeError extends Error {
  override readonly name = 'BodyTooLargeError';
}

/**
 * Listens on loopback, for programs and the server's own pages only.
 *
 * @param port 0 takes any free port.
 * @param hostnames names that the server goes by besides those of loopback.
 * @throws Error naming the port when another program holds it.
 */
export async function listenOnLoopback(
  server: Server | HttpsServer,
  port: number,
  hostnames: readonly string[] = [],
): Promise<LoopbackServer> {
  refuseForeignPages(server, hostnames);
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  // Longer than any client keeps an idle connection, so that no client sends into one that is just closing.
  server.keepAliveTimeout = 120_000;
  await bind(server, port);
  const address = server.address();
  const boundPort = typeof address === 'object' && address !== null ? address.port : port;
  return { port: boundPort, close: () => closeServer(server, sockets) };
}

/**
 * Reads a whole body into memory.
 *
 * @throws BodyTooLargeError as soon as more than `limitBytes` have come; the rest stays unread.
 */
export async function readBody(request: IncomingMessage, limitBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    const bytes = Buffer.from(chunk);
    length += bytes.length;
    if (length > limitBytes) throw new BodyTooLargeError(`The body is over ${limitBytes} bytes`);
    chunks.push(bytes);
  }
  return Buffer.concat(chunks, length);
}

/** Answers with a JSON document. `type` is the exact content type that the caller's protocol speaks. */
export function answerJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  type = 'application/json',
): void {
  const bytes = Buffer.from(JSON.stringify(body));
  response.writeHead(status, { 'content-type': type, 'content-length': bytes.length });
  response.end(bytes);
}

function bind(server: Server | HttpsServer, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(describeBindError(error, port)));
    server.listen({ host: loopbackHost, port, exclusive: true }, resolve);
  });
}

/** The reason why a port of loopback could not be taken, in words that say what to do. */
export function describeBindError(error: NodeJS.ErrnoException, port: number): Error {
  if (error.code !== 'EADDRINUSE') return error;
  return new Error(
    `Port ${port} on ${loopbackHost} is in use: end the program that holds it or choose another`,
    {
      cause: error,
    },
  );
}

async function closeServer(server: Server | HttpsServer, sockets: ReadonlySet<Socket>): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  for (const socket of sockets) socket.destroy();
  await closed;
}
