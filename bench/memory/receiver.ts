import { once } from 'node:events';
import type { Socket } from 'node:net';
import { createServer, type TLSSocket } from 'node:tls';
import { loopbackHost } from '../../local/servers/loopback-server.ts';
import { behaviours, isBehaviour } from './behaviours.ts';

export type MisbehavingReceiver = AsyncDisposable & {
  /** Its path names the behaviour: `<origin>/<behaviour>`. */
  readonly origin: string;
};

const acknowledged = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n';

/** A receiver that breaks the rules of HTTP as its path says. It acknowledges test events, so that it can register. */
export async function startReceiver(tls: {
  readonly key: string;
  readonly cert: string;
}): Promise<MisbehavingReceiver> {
  const raws = new Map<number | undefined, Socket>();
  const server = createServer(tls, (socket) => serve(socket, () => raws.get(socket.remotePort)));
  server.on('tlsClientError', () => {});
  server.on('connection', (raw: Socket) => {
    const { remotePort } = raw;
    raws.set(remotePort, raw);
    raw.on('error', () => {});
    raw.once('close', () => raws.delete(remotePort));
  });
  await once(server.listen(0, loopbackHost), 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    origin: `https://receiver.localhost:${port}`,
    [Symbol.asyncDispose]: async () => {
      for (const raw of raws.values()) raw.destroy();
      await once(server.close(), 'close');
    },
  };
}

function serve(socket: TLSSocket, raw: () => Socket | undefined): void {
  socket.on('error', () => {});
  socket.on('data', (chunk: Buffer) => {
    const [, name = ''] = /^POST \/([\w-]+) /.exec(chunk.toString('latin1')) ?? [];
    if (!isBehaviour(name)) return;
    if (chunk.includes('webhook.test')) socket.write(acknowledged);
    else behaviours[name](socket, raw());
  });
}
