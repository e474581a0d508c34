/** The middle value, or the mean of the two middle values. @throws Error when empty */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const [lower, upper] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  if (lower === undefined || upper === undefined)
    throw new Error('Cannot take a median: there are no values');
  return (lower + upper) / 2;
}
