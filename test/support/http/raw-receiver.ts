import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';

export type RawReceiver = Awaited<ReturnType<typeof startRawReceiver>>;

export type RawReceiverOptions = {
  /** Speaks TLS with these options; plain TCP without. */
  readonly tls?: TlsOptions | undefined;
  readonly address?: string;
  readonly port?: number;
  /** Called once for each connection that is ready for data. */
  readonly onConnection?: (socket: Socket) => void;
  /** Called whenever data arrived. */
  readonly onData?: (socket: Socket, connection: number) => void;
};

/** A receiver that may break every rule of HTTP: the test decides each byte that it sends. */
export async function startRawReceiver(options: RawReceiverOptions) {
  const sockets = new Set<Socket>();
  /** Every byte that arrived on each connection, decrypted when the receiver speaks TLS. */
  const received: Buffer[][] = [];
  let connections = 0;
  const serve = (socket: Socket) => {
    const index = received.push([]) - 1;
    socket.on('data', (chunk: Buffer) => {
      received[index]?.push(chunk);
      options.onData?.(socket, index);
    });
    socket.on('error', () => {});
    options.onConnection?.(socket);
  };
  const server: Server = options.tls ? createTlsServer(options.tls, serve) : createServer(serve);
  server.on('tlsClientError', () => {});
  server.on('connection', (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('close', () => sockets.delete(socket));
  });
  server.listen(options.port ?? 0, options.address ?? '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    /** TCP connections accepted so far, with or without a TLS handshake. */
    connectionCount: () => connections,
    /** Those of them that are open now. */
    openCount: () => sockets.size,
    received,
    /** Ends every connection with a TCP reset. */
    reset: () => {
      for (const socket of sockets) socket.resetAndDestroy();
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
