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

/** The position in a cursor; `null` without a cursor. */
export async function openCursor(
  cursors: Cursors,
  scope: CursorScope,
  cursor: string | undefined,
): Promise<string | null> {
  return cursor === undefined ? null : cursors.open(scope, cursor);
}

/** Turns the position of the next page into its cursor. */
export async function sealNext<T>(
  cursors: Cursors,
  scope: CursorScope,
  { rows, next }: Rows<T>,
): Promise<ListPage<T>> {
  return { rows, nextCursor: next === null ? null : await cursors.seal(scope, next) };
}

/** Whether the first page has no rows and none follow. A page that skipped unreadable rows has a next one. */
export function isEmptyList({ rows, next }: Rows<unknown>): boolean {
  return rows.length === 0 && next === null;
}
