import { createServer, type TLSSocket } from 'node:tls';
import { parentPort, workerData } from 'node:worker_threads';
import * as z from 'zod';

// A receiver on a separate thread, so that its bytes arrive while the client's thread is busy. It answers every POST
// with 200, and on command sends a 299 that answers no request.

/** The `workerData` of the thread. */
export type HastyPlan = {
  readonly key: string;
  readonly cert: string;
  readonly maxVersion: 'TLSv1.2' | 'TLSv1.3';
  /** Whether it sends an answer on each new connection at once. */
  readonly greets: boolean;
  /** Its only number becomes 1 once the kernel took the early answer: over loopback, it has then arrived. */
  readonly gate: SharedArrayBuffer;
};

const plan: HastyPlan = workerData;
const gate = new Int32Array(plan.gate);
const inAdvance = 'HTTP/1.1 299 In advance\r\nContent-Length: 0\r\n\r\n';
let latest: TLSSocket | undefined;
let connections = 0;

function answerInAdvance(socket: TLSSocket | undefined): void {
  socket?.write(inAdvance, () => {
    Atomics.store(gate, 0, 1);
    Atomics.notify(gate, 0);
  });
}

const server = createServer({ key: plan.key, cert: plan.cert, maxVersion: plan.maxVersion }, (socket) => {
  latest = socket;
  connections += 1;
  socket.on('error', () => {});
  // Otherwise the kernel holds a second answer back until the first one is acknowledged.
  socket.setNoDelay(true);
  socket.on('data', (chunk: Buffer) => {
    if (chunk.includes('POST')) socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
  });
  if (plan.greets) answerInAdvance(socket);
});

parentPort?.on('message', (message: unknown) => {
  if (z.literal('answer in advance').safeParse(message).success) answerInAdvance(latest);
  else parentPort?.postMessage({ connections });
});
server.listen(0, '127.0.0.1', () => {
  parentPort?.postMessage({ port: z.object({ port: z.number() }).parse(server.address()).port });
});
