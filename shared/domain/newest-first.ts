/** Rows in descending order of their ids, and the last id that was returned or read; `null` when nothing follows. */
type Part<T> = { readonly rows: readonly T[]; readonly next: string | null };

/**
 * The newest `limit` matching rows of all parts, which are sorted alike. Rows older than the `next` of a part are left
 * out, because that part may hold unread rows in between.
 */
export function mergeNewestFirst<T extends { readonly id: string }>(
  parts: readonly Part<T>[],
  limit: number,
  matches: (row: T) => boolean = () => true,
): Part<T> {
  const horizon = parts
    .flatMap(({ next }) => next ?? [])
    .sort()
    .at(-1);
  const known = parts
    .flatMap(({ rows }) => rows)
    .filter(({ id }) => horizon === undefined || id >= horizon)
    .sort((left, right) => (left.id < right.id ? 1 : -1));
  return takeMatching(known, limit, matches, horizon ?? null);
}

/** @param unread the last id read, when unread rows follow; `null` otherwise */
export function takeMatching<T extends { readonly id: string }>(
  known: readonly T[],
  limit: number,
  matches: (row: T) => boolean,
  unread: string | null,
): Part<T> {
  const rows: T[] = [];
  for (const row of known) {
    if (!matches(row)) continue;
    if (rows.length === limit) return { rows, next: rows.at(-1)?.id ?? null };
    rows.push(row);
  }
  return { rows, next: unread };
}
