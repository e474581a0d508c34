import { connect, type Socket } from 'node:net';
import { startRawReceiver } from '../support/http/raw-receiver.ts';

/** Starts a TCP proxy before a port of loopback, which delays all that passes. @returns its port */
export async function lengthenLine(target: number, delayMs: number, parts: AsyncDisposableStack) {
  const pass = (from: Socket, to: Socket) => {
    from.on('data', (chunk: Uint8Array) => setTimeout(() => to.write(chunk), delayMs));
    from.on('end', () => setTimeout(() => to.end(), delayMs));
    from.on('error', () => setTimeout(() => to.resetAndDestroy(), delayMs));
  };
  const onConnection = (socket: Socket) => {
    const server = connect(target, '127.0.0.1');
    pass(socket, server);
    pass(server, socket);
  };
  const line = await startRawReceiver({ onConnection });
  parts.defer(() => line.close());
  return line.port;
}
