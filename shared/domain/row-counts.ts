/** Number of rows by kind. */
export type RowCounts = Readonly<Record<string, number>>;

/** The sum of two counts. */
export function sumOf(one: RowCounts, other: RowCounts): RowCounts {
  const kinds = new Set([...Object.keys(one), ...Object.keys(other)]);
  return Object.fromEntries([...kinds].map((kind) => [kind, (one[kind] ?? 0) + (other[kind] ?? 0)]));
}
