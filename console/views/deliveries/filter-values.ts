import { isUtcShown } from '../../parts/texts.ts';
import type { Filters } from '../../routing/route.ts';

/** Ages that the reader can choose, in hours. */
export const ages = [
  { hours: 1, label: 'Last hour' },
  { hours: 24, label: 'Last 24 hours' },
  { hours: 24 * 7, label: 'Last 7 days' },
] as const;

/** Days of the zone that is shown; an index is how many days ago a day began. */
const days = ['Today', 'Yesterday'] as const;

export type Range = Pick<Filters, 'created_after' | 'created_before'>;

/** Ranges that the reader can choose, as the API takes them. */
export const ranges: readonly { readonly label: string; readonly at: (now: number) => Range }[] = [
  ...ages.map(({ hours, label }) => ({
    label,
    at: (now: number) => ({ created_after: startOf(hours, now) }),
  })),
  ...days.map((label, ago) => ({ label, at: (now: number) => dayOf(ago, now) })),
];

/** The beginning of a range that an age names. */
export function startOf(hours: number, now: number): string {
  return new Date(now - hours * 3_600_000).toISOString();
}

export function dayOf(ago: number, now: number): Required<Range> {
  const today = new Date(now);
  const midnight = (before: number) =>
    (isUtcShown()
      ? new Date(Date.UTC(today.getUTCFullYear(), today.getUTCMonth(), today.getUTCDate() - before))
      : new Date(today.getFullYear(), today.getMonth(), today.getDate() - before)
    ).toISOString();
  return { created_after: midnight(ago), created_before: midnight(ago - 1) };
}

/** The day that a range is; `null` for another range. */
export function dayNameOf({ created_after: after, created_before: before }: Range, now: number): string | null {
  const known = days.map((_label, ago) => dayOf(ago, now));
  const index = known.findIndex((day) => day.created_after === after && day.created_before === before);
  return days[index] ?? null;
}

/** The options of a filter, with a value of a link that this version does not know. */
export function withKnown(
  known: readonly string[],
  chosen: string | undefined,
  labelOf = (value: string) => value,
): readonly (readonly [value: string, label: string])[] {
  const other = chosen === undefined || known.includes(chosen) ? [] : [chosen];
  return [...known, ...other].map((value) => [value, labelOf(value)]);
}

/** A status as lists show it: the words of the API are in lower case. */
export function capitalized(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

/** A class of responses as lists show it. */
export function responseName(name: string): string {
  return name === 'none' ? 'No response' : name;
}

const longest = 64;

/** A long URL with its beginning and its end: options of a choice have one line. */
export function shortened(url: string): string {
  return url.length <= longest ? url : `${url.slice(0, longest - 17)}…${url.slice(-16)}`;
}
