import type { ListQuery } from '#shared/contract/list-query.ts';

/** Names a list: a cursor opens only for the list, customer, parent and filters that it was made for. */
export type CursorScope = readonly string[];

export type Cursors = {
  /** @param position the id after which the next page begins */
  readonly seal: (scope: CursorScope, position: string) => Promise<string>;
  /** Throws `invalid_request` for a text that `seal` did not return for this scope. */
  readonly open: (scope: CursorScope, cursor: string) => Promise<string>;
};

/** Asks for at most `limit` rows after the position `after`, or for the first ones (`null`). */
export type PageRequest = { readonly after: string | null; readonly limit: number };

/** Rows of one page, and the position after which the next page begins; `null` when no rows follow. */
export type Rows<T> = { readonly rows: readonly T[]; readonly next: string | null };

/** Rows of one page, and the cursor of the next page; `null` when no rows follow. */
export type ListPage<T> = { readonly rows: readonly T[]; readonly nextCursor: string | null };

/** Reads the page of a list that a request asks for. */
export async function readPage<T>(
  cursors: Cursors,
  scope: CursorScope,
  { limit, cursor }: ListQuery,
  read: (page: PageRequest) => Promise<Rows<T>>,
): Promise<ListPage<T>> {
  const after = cursor === undefined ? null : await cursors.open(scope, cursor);
  const { rows, next } = await read({ after, limit });
  return { rows, nextCursor: next === null ? null : await cursors.seal(scope, next) };
}

/** Whether a list is empty, by its first page. A page that skipped unreadable rows has a next one. */
export function isEmptyList({ after }: PageRequest, { rows, next }: Rows<unknown>): boolean {
  return after === null && rows.length === 0 && next === null;
}
