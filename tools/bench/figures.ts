import { percentile } from '../operator/cli/percentile.ts';

/** The middle value, or the mean of the two middle values. @throws Error when empty */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const [lower, upper] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  if (lower === undefined || upper === undefined) throw new Error('Cannot take a median: there are no values');
  return (lower + upper) / 2;
}

/**
 * Ratios of values that were measured in the same rounds.
 *
 * @throws Error when a round has no partner
 */
export function ratios(values: readonly number[], bases: readonly number[]): readonly number[] {
  return values.map((value, round) => {
    const base = bases[round];
    if (base === undefined) throw new Error('Cannot compare the rounds: one has no partner');
    return value / base;
  });
}

/** Percentiles of durations in milliseconds. `Infinity`: the duration exceeded the time limit. */
export type Spread = { readonly p50: number; readonly p99: number; readonly max: number };

/**
 * @param values milliseconds, in any order
 * @throws Error when empty
 */
export function spreadOf(values: readonly number[]): Spread {
  const sorted = values.toSorted((one, other) => (one < other ? -1 : Number(one > other)));
  const [p50, p99, max] = [0.5, 0.99, 1].map((share) => percentile(sorted, share));
  if (p50 === undefined || p99 === undefined || max === undefined)
    throw new Error('Cannot compute percentiles: there are no values');
  return { p50, p99, max };
}
