import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { type Failure, runsPerSeed, type simulate, type Totals } from './simulate.ts';

type Played = Awaited<ReturnType<typeof simulate>>;

/**
 * Plays the seeds of a simulation with a thread for each processor, until one of them breaks a promise.
 *
 * @param onSeed called after each seed with the totals so far
 */
export async function simulateInThreads(runs: number, seed: number, onSeed: (totals: Totals) => void): Promise<Played> {
  const every = Math.min(availableParallelism(), Math.ceil(runs / runsPerSeed));
  const shares = Array.from({ length: every }, (): Totals => ({ runs: 0, counts: new Map() }));
  const found = Promise.withResolvers<Failure | null>();
  const threads = shares.map((_, index) => {
    const workerData = { runs: shareOf(runs, index, every), seed: seed + index, every };
    const thread = new Worker(new URL('./simulate-seeds.ts', import.meta.url), { workerData });
    return thread.on('message', ({ totals, failure }: Played) => {
      shares[index] = totals;
      if (failure !== null) found.resolve(failure);
      onSeed(sumOf(shares));
    });
  });
  // `once` rejects with the error of a thread.
  const ended = Promise.all(threads.map((thread) => once(thread, 'exit')));
  ended.then(() => found.resolve(null), found.reject);
  try {
    const failure = await found.promise;
    return { totals: sumOf(shares), failure };
  } finally {
    await Promise.all(threads.map((thread) => thread.terminate()));
  }
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
