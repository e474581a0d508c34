/** A value that was measured in several rounds. */
export type Several = { readonly median: number; readonly low: number; readonly high: number };

/** @throws Error when empty */
export function several(values: readonly number[]): Several {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = (sorted.length - 1) / 2;
  const [low, high] = [sorted[Math.floor(middle)], sorted[Math.ceil(middle)]];
  if (low === undefined || high === undefined) {
    throw new Error('Cannot summarize the rounds: there are no values');
  }
  return { median: (low + high) / 2, low: Math.min(...sorted), high: Math.max(...sorted) };
}

/**
 * Ratios of values that were measured in the same rounds.
 *
 * @throws Error when empty, or when a round has no partner
 */
export function ratios(values: readonly number[], bases: readonly number[]): Several {
  return several(
    values.map((value, round) => {
      const base = bases[round];
      if (base === undefined) throw new Error('Cannot compare the rounds: one has no partner');
      return value / base;
    }),
  );
}
