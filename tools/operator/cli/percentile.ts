/** The smallest value that the given share of all values does not exceed; `undefined` without values. */
export function percentile(sorted: readonly number[], share: number): number | undefined {
  return sorted[Math.ceil(sorted.length * share) - 1];
}
