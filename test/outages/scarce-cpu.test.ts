import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { metrics } from '#shared/contract/metrics.ts';
import type { LoggedAttempt } from '#shared/domain/attempt.ts';
import { readEmbedded } from '../support/metrics/embedded-format.ts';
import { eventually } from '../support/stack/eventually.ts';
import type { StackCustomer } from '../support/stack/stack-customer.ts';
import { deliveringProcesses, limitProcessor } from './scarce-cpu.ts';
import { setSmallScene } from './small-scene.ts';
import { readDeliveries } from './stored-deliveries.ts';

const parts = new AsyncDisposableStack();
afterEach(() => parts.disposeAsync());

/** Of one processor: what Lambda gives a function with 256 MB. A busy machine gives less, which changes no promise. */
const share = 0.145;
const endpointsEach = 4;
/** Kept connections close between two rounds. */
const roundMs = 5_000;
const patience = { timeout: 1_200_000, interval: 500 };

/** Rounds, and Runs of each customer in each round. */
type Load = { readonly rounds: number; readonly runs: number };

/** Twenty deliveries in five seconds. */
const ordinary: Load = { rounds: 6, runs: 1 };
/**
 * 1,800 deliveries take the share about a minute, with many connections opening at the same time. On a busy machine a
 * function may run out of time, and some of its messages come back.
 */
const burst: Load = { rounds: 3, runs: 30 };

describe('delivery functions with the processor time of 256 MB', () => {
  it('no first attempt at a healthy endpoint is late, and no POST begins after the response to a deletion', async () => {
    let arrived = 0;
    const lines: string[] = [];
    const { stack, customers, endpoints } = await setSmallScene(parts, {
      hostname: 'localhost',
      customers: 5,
      endpointsEach,
      onPost: () => {
        arrived += 1;
      },
      options: { functionsIn: 'processes', onLogLine: (_source, line) => lines.push(line) },
    });
    const processes = await deliveringProcesses();
    for (const id of processes) parts.use(await limitProcessor(id, share));
    const usedShare = watchShare(processes);

    await settleRuns(customers, ordinary);
    const first = ordinary.rounds * ordinary.runs * endpoints.length;
    await eventually(async () => expect(arrived).toBe(first), patience);
    expect(returnedMessages(lines)).toEqual([]);
    await settleRuns(customers, burst);
    const all = first + burst.rounds * burst.runs * endpoints.length;
    await eventually(async () => expect(arrived).toBe(all), patience);

    const settling = settleRuns(customers, { ...ordinary, rounds: 3 });
    await sleep(roundMs);
    const answeredAt = new Map<string, number>();
    const half = endpoints.filter((_, index) => index % 2 === 0);
    await Promise.all(
      half.map(async ({ customer, id }) => {
        await customer.remove(id);
        answeredAt.set(id, Date.now());
      }),
    );
    await settling;
    const deliveries = await eventually(async () => {
      const all = (await readDeliveries(stack.info)).map(({ delivery }) => delivery);
      expect(all.filter(({ status }) => status === 'pending')).toEqual([]);
      return all;
    }, patience);
    const after = deliveries.filter(({ webhookId, log }) =>
      log.some((entry) => earliestPost(entry) > (answeredAt.get(webhookId) ?? Number.POSITIVE_INFINITY)),
    );
    expect(after).toEqual([]);
    expect(usedShare()).toBeLessThan(2 * share);
  });
});

/** Milliseconds since each message was sent that a function returned to its queue instead of making its attempt. */
function returnedMessages(lines: readonly string[]): readonly number[] {
  return lines
    .filter((line) => line.includes('"_aws"'))
    .flatMap((line) => readEmbedded(line).data)
    .flatMap(({ name, value }) => (name === metrics.oldestReturned.name ? [value] : []));
}

/** The first byte follows the connection, whose phases the attempt has measured. */
function earliestPost({ at, timings }: LoggedAttempt): number {
  return at + (timings.dnsMs ?? 0) + (timings.connectMs ?? 0) + (timings.tlsMs ?? 0);
}

/** In each round, Runs of every customer settle. */
async function settleRuns(customers: readonly StackCustomer[], { rounds, runs }: Load): Promise<void> {
  for (let round = 0; round < rounds; round += 1) {
    const settling = customers.flatMap((customer) =>
      Array.from({ length: runs }, () => customer.settleRun()),
    );
    await Promise.all(settling);
    await sleep(roundMs);
  }
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
