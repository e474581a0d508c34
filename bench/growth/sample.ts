import { performance } from 'node:perf_hooks';
import { median } from '../median.ts';
import type { Request } from './read-lines.ts';

/** The same request on one table after another. */
export type Timed = {
  /** Median milliseconds on each table. */
  readonly medians: readonly number[];
  /** For each table, the median of its times as ratios to the first table in the same round. */
  readonly ratios: readonly number[];
};

/** Requests on each table that are not measured. */
const warmUps = 5;

/**
 * Measures one request on several tables in turn, so that noise of the machine meets all of them. Each round starts
 * with another table.
 */
export async function sample(requests: readonly Request[], rounds: number): Promise<Timed> {
  for (let round = 0; round < warmUps; round += 1) for (const request of requests) await request();
  const times = requests.map((): number[] => []);
  for (let round = 0; round < rounds; round += 1) {
    for (let turn = 0; turn < requests.length; turn += 1) {
      const index = (round + turn) % requests.length;
      const startedAt = performance.now();
      await requests[index]?.();
      times[index]?.push(performance.now() - startedAt);
    }
  }
  const [base = []] = times;
  return {
    medians: times.map(median),
    ratios: times.map((own) => median(own.map((time, round) => time / (base[round] ?? Number.NaN)))),
  };
}
