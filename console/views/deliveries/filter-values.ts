import type { Filters } from '../../routing/route.ts';

/** Ages that the reader can choose, in hours. */
export const ages = [
  { hours: 1, label: 'Last hour' },
  { hours: 24, label: 'Last 24 hours' },
  { hours: 24 * 7, label: 'Last 7 days' },
] as const;

/** Days of the reader's zone, and how many days ago they began. */
export const days = [
  { ago: 0, label: 'Today' },
  { ago: 1, label: 'Yesterday' },
] as const;

/** A day of the reader's zone, as a range that the API takes. */
export function dayOf(ago: number, now: number): Required<Pick<Filters, 'created_after' | 'created_before'>> {
  const midnight = (before: number) => {
    const today = new Date(now);
    return new Date(today.getFullYear(), today.getMonth(), today.getDate() - before).toISOString();
  };
  return { created_after: midnight(ago), created_before: midnight(ago - 1) };
}

/** The day that a range is; `null` for another range. */
export function dayNameOf(range: Filters, now: number): string | null {
  const isRange = (ago: number) => {
    const { created_after: after, created_before: before } = dayOf(ago, now);
    return range.created_after === after && range.created_before === before;
  };
  return days.find(({ ago }) => isRange(ago))?.label ?? null;
}

/** The options of a filter, with a value of a link that this version does not know. */
export function withKnown(
  known: readonly string[],
  chosen: string | undefined,
): readonly (readonly [value: string, label: string])[] {
  const other = chosen === undefined || known.includes(chosen) ? [] : [chosen];
  return [...known, ...other].map((value) => [value, value]);
}

/** A status as lists show it: the words of the API are in lower case. */
export function capitalized(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

const longest = 64;

/** A long URL with its beginning and its end: options of a choice have one line. */
export function shortened(url: string): string {
  if (url.length <= longest) return url;
  return `${url.slice(0, longest - 17)}…${url.slice(-16)}`;
}

/** The filters without those that are absent or empty. */
export function withoutEmpty(filters: { readonly [name in keyof Filters]?: string | undefined }): Filters {
  return Object.fromEntries(
    Object.entries(filters).filter(([, value]) => value !== undefined && value !== ''),
  );
}

/** The beginning of a range that an age names, as the API takes it. */
export function startOf(hours: number, now: number): string {
  return new Date(now - hours * 3_600_000).toISOString();
}
