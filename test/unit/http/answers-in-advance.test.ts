import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { afterEach, describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { AttemptProgress } from '#shared/http/attempt-progress.ts';
import type { HastyPlan } from '../../support/http/hasty-receiver.ts';
import { createPostWorld, post, settled } from '../../support/http/post-world.ts';

const program = fileURLToPath(new URL('../../support/http/hasty-receiver.ts', import.meta.url));
const tries = 10;
/** Ends a test that hangs: while its thread is blocked, no other time limit does. */
const patience = 10 * 60_000;

const world = await createPostWorld();
const workers: Worker[] = [];

afterEach(async () => {
  vi.restoreAllMocks();
  await Promise.all(workers.splice(0).map((worker) => worker.terminate()));
});

/** A receiver on a separate thread. */
async function startHastyReceiver(wish: Pick<HastyPlan, 'maxVersion' | 'greets'>) {
  const gate = new Int32Array(new SharedArrayBuffer(4));
  const workerData: HastyPlan = { ...world.certificate, ...wish, gate: gate.buffer };
  const worker = new Worker(program, { workerData, execArgv: [] });
  workers.push(worker);
  const next = async (): Promise<unknown> => (await once(worker, 'message'))[0];
  const { port } = z.object({ port: z.number() }).parse(await next());
  return {
    port,
    client: world.client(port),
    /** Blocks this thread, as other work does, until an unrequested response has arrived. */
    blockUntilFlushed: () => {
      if (Atomics.wait(gate, 0, 0, patience) === 'timed-out') {
        throw new Error('No answer came in advance');
      }
      Atomics.store(gate, 0, 0);
    },
    answerInAdvance: () => worker.postMessage('answer in advance'),
    connections: async () => {
      worker.postMessage('count');
      return z.object({ connections: z.number() }).parse(await next()).connections;
    },
  };
}

describe('an early response', () => {
  it('an early response on a kept connection is ignored: the attempt uses a new connection', async () => {
    const receiver = await startHastyReceiver({ maxVersion: 'TLSv1.3', greets: false });
    const statuses: (number | null)[] = [];
    await post(receiver.client, receiver.port);

    for (let attempt = 0; attempt < tries; attempt += 1) {
      await settled();
      receiver.answerInAdvance();
      receiver.blockUntilFlushed();
      // The response has arrived, and this thread had no chance to read it.
      statuses.push((await post(receiver.client, receiver.port)).responseStatus);
    }

    expect(statuses).toEqual(statuses.map(() => 200));
    expect(await receiver.connections()).toBe(1 + tries);
  });

  it('an early response on a new connection fails the attempt', async () => {
    const receiver = await startHastyReceiver({ maxVersion: 'TLSv1.2', greets: true });
    const { end } = AttemptProgress.prototype;
    vi.spyOn(AttemptProgress.prototype, 'end').mockImplementation(function (this: AttemptProgress) {
      end.call(this);
      if (this.phase === 'tlsMs') receiver.blockUntilFlushed();
    });

    const results = [];
    for (let attempt = 0; attempt < tries; attempt += 1)
      results.push(await post(receiver.client, receiver.port));

    for (const result of results) {
      expect(result).toMatchObject({
        outcome: 'invalid_response',
        responseStatus: null,
        error: 'The receiver responded before the request was sent',
      });
    }
  });
});
