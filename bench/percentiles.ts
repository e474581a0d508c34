/** Percentiles of durations in milliseconds. `Infinity`: the duration exceeded the time limit. */
export type Spread = {
  readonly count: number;
  readonly p50: number;
  readonly p90: number;
  readonly p95: number;
  readonly p99: number;
  readonly max: number;
};

/**
 * @param values milliseconds, in any order
 * @throws Error when empty
 */
export function spreadOf(values: readonly number[]): Spread {
  const sorted = values.toSorted((one, other) => (one < other ? -1 : Number(one > other)));
  const at = (share: number) => percentile(sorted, share);
  return { count: sorted.length, p50: at(0.5), p90: at(0.9), p95: at(0.95), p99: at(0.99), max: at(1) };
}

/** The smallest value that the given share of all values does not exceed. */
function percentile(sorted: readonly number[], share: number): number {
  const value = sorted[Math.ceil(sorted.length * share) - 1];
  if (value === undefined) throw new Error('Cannot compute percentiles: there are no values');
  return value;
}
