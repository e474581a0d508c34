import type { ListQuery, Page } from '#shared/contract/list-query.ts';

/** A list as its cursors know it: a cursor opens only for the very list, owner, parent and filters it was made for. */
export type CursorScope = readonly string[];

export type Cursors = {
  /** @param position the id after which the next page begins */
  readonly seal: (scope: CursorScope, position: string) => Promise<string>;
  /** Throws `invalid_request` for anything that `seal` did not return for this scope. */
  readonly open: (scope: CursorScope, cursor: string) => Promise<string>;
};

/** Rows of one page, and the position of the next page or `null` when nothing follows. */
export type Rows<T> = { readonly rows: readonly T[]; readonly next: string | null };

/**
 * One page of any list.
 * @param read reads the rows that come after `after` in the list's order, at most `limit`
 */
export async function readPage<T, R>(
  cursors: Cursors,
  scope: CursorScope,
  query: Pick<ListQuery, 'limit' | 'cursor'>,
  read: (page: { readonly after: string | null; readonly limit: number }) => Promise<Rows<T>>,
  present: (row: T) => R,
): Promise<Page<R>> {
  const after = query.cursor === undefined ? null : await cursors.open(scope, query.cursor);
  const { rows, next } = await read({ after, limit: query.limit });
  return {
    items: rows.map(present),
    next_cursor: next === null ? null : await cursors.seal(scope, next),
  };
}
