import { connect } from 'node:net';
import { type RawReceiver, startRawReceiver } from './raw-receiver.ts';

export type HelloGuard = RawReceiver & {
  /** The bytes of each ClientHello in its first segment. */
  readonly hellos: readonly number[];
};

/**
 * A server or firewall in front of a server on loopback, which reads the first segment of a connection only.
 *
 * @param dislikes resets the connection
 */
export async function startHelloGuard(port: number, dislikes: (hello: Buffer) => boolean): Promise<HelloGuard> {
  const hellos: number[] = [];
  const receiver = await startRawReceiver({
    onConnection: (socket) =>
      socket.once('data', (hello) => {
        hellos.push(hello.length);
        if (dislikes(hello)) return void socket.resetAndDestroy();
        const server = connect(port, '127.0.0.1');
        server.on('error', () => {}).write(hello);
        socket.pipe(server).pipe(socket);
      }),
  });
  return { ...receiver, hellos };
}

/** Whether a ClientHello lists the post-quantum group that OpenSSL offers. */
export const offersPostQuantum = (hello: Buffer): boolean => hello.includes(Buffer.from('11ec', 'hex'));
