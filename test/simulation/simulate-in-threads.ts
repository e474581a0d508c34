import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { type Failure, runsPerSeed, type Totals } from './simulate.ts';

type Played = { readonly totals: Totals; readonly failure: Failure | null };

/**
 * Plays the seeds of a simulation with a thread for each processor, until one of them breaks a promise.
 *
 * @param onSeed called after each seed with the totals so far
 */
export async function simulateInThreads(
  runs: number,
  seed: number,
  onSeed: (totals: Totals) => void,
): Promise<Played> {
  const every = Math.min(availableParallelism(), Math.ceil(runs / runsPerSeed));
  const shares = Array.from({ length: every }, (): Totals => ({ runs: 0, counts: new Map() }));
  const found = Promise.withResolvers<Failure | null>();
  const threads = shares.map((_, index) => {
    const workerData = { runs: shareOf(runs, index, every), seed: seed + index, every };
    return new Worker(new URL('./simulate-seeds.ts', import.meta.url), { workerData });
  });
  const ended = threads.map(async (thread, index) => {
    thread.on('message', ({ totals, failure }: { totals?: Totals; failure?: Failure | null }) => {
      if (totals !== undefined) shares[index] = totals;
      if (failure) found.resolve(failure);
      onSeed(sumOf(shares));
    });
    thread.on('error', found.reject);
    await once(thread, 'exit');
  });
  void Promise.all(ended).then(() => found.resolve(null));
  const failure = await found.promise;
  await Promise.all(threads.map((thread) => thread.terminate()));
  return { totals: sumOf(shares), failure };
}

/** How many of the runs the seeds of one thread have: whole seeds, but for the last one. */
function shareOf(runs: number, index: number, every: number): number {
  let share = 0;
  for (let from = index * runsPerSeed; from < runs; from += every * runsPerSeed)
    share += Math.min(runsPerSeed, runs - from);
  return share;
}

function sumOf(shares: readonly Totals[]): Totals {
  const sum: Totals = { runs: 0, counts: new Map() };
  for (const { runs, counts } of shares) {
    sum.runs += runs;
    for (const [name, count] of counts) sum.counts.set(name, (sum.counts.get(name) ?? 0) + count);
  }
  return sum;
}
