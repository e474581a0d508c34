import type { EndpointDelivery } from '../../api/records.ts';

/** Deliveries that were read so far, newest first without gaps, and the cursor of what is older. */
export type Known = {
  readonly items: readonly EndpointDelivery[];
  readonly nextCursor: string | null;
  /** Whether the reader asked for older ones: a refresh keeps these. */
  readonly extended: boolean;
  /** Whether there are newer ones that do not join these without a gap. */
  readonly behind: boolean;
};

type Page = { readonly items: readonly EndpointDelivery[]; readonly next_cursor: string | null };

/** Adds the page that follows. */
export function withOlder(known: Known, page: Page): Known {
  const ids = new Set(known.items.map(({ id }) => id));
  const items = [...known.items, ...page.items.filter(({ id }) => !ids.has(id))];
  return { ...known, items, nextCursor: page.next_cursor, extended: true };
}

/**
 * Renews the beginning of the list. Older pages that the reader asked for stay. When more deliveries were created
 * since than a page holds, there would be a gap before them: then the list stays as it is, and is `behind`.
 */
export function withNewest(known: Known | undefined, page: Page): Known {
  const fresh = { items: page.items, nextCursor: page.next_cursor, extended: false, behind: false };
  if (known === undefined || !known.extended || page.next_cursor === null) return fresh;
  const last = page.items.at(-1);
  const index = known.items.findIndex(({ id }) => id === last?.id);
  if (index === -1) return { ...known, behind: true };
  const ids = new Set(page.items.map(({ id }) => id));
  const older = known.items.slice(index + 1).filter(({ id }) => !ids.has(id));
  return { ...known, items: [...page.items, ...older], behind: false };
}

/** When the next attempt of any is planned, from now on; `null` when none is. @param now epoch milliseconds */
export function firstDue(items: readonly EndpointDelivery[], now: number): string | null {
  const planned = items.flatMap(({ next_attempt_at: next }) => (next === null ? [] : [next]));
  const times = planned.filter((next) => Date.parse(next) > now);
  return times.toSorted((one, other) => Date.parse(one) - Date.parse(other))[0] ?? null;
}
