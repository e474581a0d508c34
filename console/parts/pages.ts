export type Page<T> = { readonly items: readonly T[]; readonly next_cursor: string | null };

/** What was read of a list so far, newest first without gaps, and the cursor of what is older. */
export type Known<T> = Page<T> & {
  /** Whether the reader asked for older ones: a refresh keeps these. */
  readonly extended: boolean;
  /** Whether there are newer ones that do not join these without a gap. */
  readonly behind: boolean;
};

export type Listed = { readonly id: string; readonly platform?: string };

/** What an item is known by. The id of a video is that of its platform, and two platforms may use the same. */
export function keyOf({ platform = '', id }: Listed): string {
  return `${platform}-${id}`;
}

/** With filters, a page can be empty although there are older matches. At most this number is read at once. */
const emptyPages = 4;

/** Reads on until a page has something to add. @param read reads the page of a cursor */
export async function readOlder<T>(cursor: string, read: (cursor: string) => Promise<Page<T>>): Promise<Page<T>> {
  let page = await read(cursor);
  for (let count = 1; count < emptyPages && page.items.length === 0 && page.next_cursor !== null; count += 1)
    page = await read(page.next_cursor);
  return page;
}

/** Adds the page that follows. */
export function withOlder<T extends Listed>(known: Known<T>, page: Page<T>): Known<T> {
  const keys = new Set(known.items.map(keyOf));
  const items = [...known.items, ...page.items.filter((item) => !keys.has(keyOf(item)))];
  return { ...known, items, next_cursor: page.next_cursor, extended: true };
}

/**
 * Renews the beginning of the list. Older pages that the reader asked for stay. When more was created since than a page
 * holds, there would be a gap before them: then the list stays as it is, and is `behind`.
 */
export function withNewest<T extends Listed>(known: Known<T> | null, page: Page<T>): Known<T> {
  const extended = known?.extended ?? false;
  if (known === null || !extended || page.next_cursor === null) return { ...page, extended, behind: false };
  if (page.items.length === 0) return known;
  const keys = page.items.map(keyOf);
  const index = known.items.findIndex((item) => keyOf(item) === keys.at(-1));
  if (index === -1) return { ...known, behind: true };
  const older = known.items.slice(index + 1).filter((item) => !keys.includes(keyOf(item)));
  return { ...known, items: [...page.items, ...older], behind: false };
}
