import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';

/** What a receiver does with each POST. `raw` is the connection below TLS. */
export type Behaviour = (socket: TLSSocket, raw: Socket | undefined) => void;

const kib16 = 'x'.repeat(16 * 1024);
const megabyte = Buffer.alloc(1024 * 1024, 'x');
const hugeMegabytes = 50;

/** Milliseconds between two bytes of a receiver that drips: too slow to finish, too fast to look silent. */
const dripMs = 100;

/** The behaviours by the path of the endpoint. */
export const behaviours = {
  'answers-at-once': (socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'),
  'never-answers': () => {},
  'endless-headers': (socket) => pour(socket, 'HTTP/1.1 200 OK\r\n', `X-A: ${'x'.repeat(99)}\r\n`),
  'endless-body': (socket) => pour(socket, 'HTTP/1.1 200 OK\r\n\r\n', kib16),
  'slow-drip': drip,
  'huge-response': writeHuge,
  resets: (_socket, raw) => raw?.resetAndDestroy(),
} as const satisfies Readonly<Record<string, Behaviour>>;

export type BehaviourName = keyof typeof behaviours;

export function isBehaviour(name: string): name is BehaviourName {
  return name in behaviours;
}

/** Sends bytes repeatedly, as fast as the sender reads, until the connection is lost. */
function pour(socket: Socket, first: string, more: string): void {
  socket.write(first);
  const next = (): void => {
    while (!socket.destroyed) {
      if (!socket.write(more)) return void socket.once('drain', next);
    }
  };
  next();
}

function drip(socket: Socket): void {
  socket.write('HTTP/1.1 200 OK\r\nX-Slow: ');
  const timer = setInterval(() => {
    if (socket.destroyed) clearInterval(timer);
    else socket.write('x');
  }, dripMs);
}

function writeHuge(socket: Socket): void {
  socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${hugeMegabytes * megabyte.length}\r\n\r\n`);
  let left = hugeMegabytes;
  const next = (): void => {
    while (left > 0 && !socket.destroyed) {
      left -= 1;
      if (!socket.write(megabyte)) return void socket.once('drain', next);
    }
  };
  next();
}
