import type { EndpointDelivery } from '../../api/records.ts';

/** Deliveries that were read so far, newest first without gaps, and the cursor of what is older. */
export type Known = {
  readonly items: readonly EndpointDelivery[];
  readonly nextCursor: string | null;
};

type Page = { readonly items: readonly EndpointDelivery[]; readonly next_cursor: string | null };

/** Adds the page that follows. */
export function withOlder(known: Known, page: Page): Known {
  return { items: [...known.items, ...page.items], nextCursor: page.next_cursor };
}

/**
 * Renews the beginning of the list. When more deliveries were created since than a page holds, older ones are dropped:
 * there would be a gap before them, and the reader can load them again.
 */
export function withNewest(known: Known | undefined, page: Page): Known {
  const fresh = { items: page.items, nextCursor: page.next_cursor };
  if (known === undefined) return fresh;
  const ids = new Set(page.items.map(({ id }) => id));
  const joins = page.items.length === 0 || known.items.some(({ id }) => ids.has(id));
  const last = page.items.at(-1);
  if (!joins || last === undefined || page.next_cursor === null) return fresh;
  const index = known.items.findIndex(({ id }) => id === last.id);
  if (index === -1) return fresh;
  const older = known.items.slice(index + 1);
  return older.length === 0 ? fresh : { items: [...page.items, ...older], nextCursor: known.nextCursor };
}
