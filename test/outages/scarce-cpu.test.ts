import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { eventually } from '../support/stack/eventually.ts';
import type { StackCustomer } from '../support/stack/stack-customer.ts';
import { deliveringProcesses, limitProcessor } from './scarce-cpu.ts';
import { setSmallScene } from './small-scene.ts';

const parts = new AsyncDisposableStack();
afterEach(() => parts.disposeAsync());

/** Of one processor: what Lambda gives a function with 256 MB. */
const share = 0.145;
const endpointsEach = 4;
/** Kept connections close between two rounds. */
const roundMs = 5_000;

/** Rounds, Runs of each customer in each round, and milliseconds within which an event must arrive. */
type Load = { readonly rounds: number; readonly runs: number; readonly within: number };

/** Twenty deliveries in five seconds. */
const ordinary: Load = { rounds: 6, runs: 1, within: 10_000 };

/**
 * 1,800 deliveries take the share about a minute, with many connections opening at the same time. A message that waited
 * for the visibility timeout of its queue would take three.
 */
const burst: Load = { rounds: 3, runs: 30, within: 150_000 };

/** A POST that began before the response to a deletion may be handled here after it. */
const handledWithin = 200;

type Arrival = { readonly runId: string; readonly path: string; readonly at: number };

describe('delivery functions with the processor time of 256 MB', () => {
  it('no first attempt at a healthy endpoint is late, and no POST begins after the response to a deletion', async () => {
    const arrivals: Arrival[] = [];
    const { customers, endpoints } = await setSmallScene(parts, {
      hostname: 'localhost',
      customers: 5,
      endpointsEach,
      onPost: (path, body) => void arrivals.push({ runId: runIdIn(body), path, at: Date.now() }),
      options: { functionsIn: 'processes' },
    });
    const processes = await deliveringProcesses();
    for (const id of processes) parts.use(await limitProcessor(id, share));
    const usedShare = watchShare(processes);

    for (const load of [ordinary, burst]) {
      const sentAt = await settleRuns(customers, load);
      const waits = () =>
        arrivals.flatMap(({ runId, at }) => (sentAt.has(runId) ? [at - (sentAt.get(runId) ?? 0)] : []));
      const expected = sentAt.size * endpointsEach;
      await eventually(async () => expect(waits()).toHaveLength(expected), { timeout: 300_000 });
      expect(waits().filter((wait) => wait > load.within)).toEqual([]);
    }

    const settling = settleRuns(customers, { ...ordinary, rounds: 3 });
    await sleep(roundMs);
    const deleted = await Promise.all(
      endpoints
        .filter((_, index) => index % 2 === 0)
        .map(async ({ customer, id, path }) => {
          expect((await customer.request('DELETE', `/v1/webhooks/${id}`)).status).toBe(204);
          return { path, answeredAt: Date.now() };
        }),
    );
    await settling;
    await sleep(roundMs);
    const after = deleted.flatMap(({ path, answeredAt }) =>
      arrivals.filter((arrival) => arrival.path === path && arrival.at > answeredAt + handledWithin),
    );
    expect(after).toEqual([]);
    expect(usedShare()).toBeLessThan(2 * share);
  });
});

/** In each round, Runs of every customer settle. @returns when each was sent, by its id */
async function settleRuns(
  customers: readonly StackCustomer[],
  { rounds, runs }: Omit<Load, 'within'>,
): Promise<ReadonlyMap<string, number>> {
  const sentAt = new Map<string, number>();
  for (let round = 0; round < rounds; round += 1) {
    const at = Date.now();
    const settling = customers.flatMap((customer) =>
      Array.from({ length: runs }, () => customer.settleRun()),
    );
    const messages = await Promise.all(settling);
    for (const message of messages) sentAt.set(runIdIn(JSON.stringify(message)), at);
    await sleep(roundMs);
  }
  return sentAt;
}

/** The Run that a message of the Run engine, or an event, is about. */
function runIdIn(text: string): string {
  return /"(run_[0-9A-Z]{10,})"/.exec(text)?.[1] ?? '';
}

/** @returns a function that tells the largest share that the main thread of a process has used since the call */
function watchShare(processes: readonly number[]): () => number {
  const startedAt = performance.now();
  const used = () =>
    processes.map((id) => Number(readFileSync(`/proc/${id}/schedstat`, 'utf8').split(' ')[0]));
  const before = used();
  return () => {
    const passed = (performance.now() - startedAt) * 1e6;
    return Math.max(...used().map((after, index) => (after - (before[index] ?? 0)) / passed));
  };
}
