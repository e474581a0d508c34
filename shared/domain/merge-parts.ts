/** Rows that are ordered by their ids, and the last id that was returned or read; `null` when nothing follows. */
type Part<T> = { readonly rows: readonly T[]; readonly next: string | null };
type WithId = { readonly id: string };

/**
 * The rows of all parts, which have the same order. Rows beyond the `next` of a part are left out, because that part may
 * hold unread rows in between.
 */
export function mergeParts<T extends WithId>(
  parts: readonly Part<T>[],
  order: 'newest first' | 'oldest first',
): Part<T> {
  const direction = order === 'newest first' ? -1 : 1;
  const compare = (left: string, right: string) => (left < right ? -direction : direction);
  const [next = null] = parts.flatMap((part) => part.next ?? []).sort(compare);
  const rows = parts
    .flatMap((part) => part.rows)
    .filter(({ id }) => next === null || id === next || compare(id, next) < 0)
    .sort((left, right) => compare(left.id, right.id));
  return { rows, next };
}

/** The first `limit` matching rows of a part. */
export function takeMatching<T extends WithId>(
  part: Part<T>,
  limit: number,
  matches: (row: T) => boolean = () => true,
): Part<T> {
  const rows: T[] = [];
  for (const row of part.rows) {
    if (!matches(row)) continue;
    if (rows.length === limit) return { rows, next: rows.at(-1)?.id ?? null };
    rows.push(row);
  }
  return { rows, next: part.next };
}

/** The newest `limit` matching rows of all parts. */
export function mergeNewestFirst<T extends WithId>(
  parts: readonly Part<T>[],
  limit: number,
  matches?: (row: T) => boolean,
): Part<T> {
  return takeMatching(mergeParts(parts, 'newest first'), limit, matches);
}
