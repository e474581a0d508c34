import type { Filters } from '../../routing/route.ts';

export const statuses = ['pending', 'delivered', 'failed'] as const;
export const eventTypes = ['run.completed', 'tracker.changed', 'webhook.test'] as const;

/** Ages that the reader can choose, in hours. */
export const ages = [
  { hours: 1, label: 'Last hour' },
  { hours: 24, label: 'Last 24 hours' },
  { hours: 24 * 7, label: 'Last 7 days' },
] as const;

/** The query of the API for the filters of a link. Wrong values are sent as they are: the API says what is wrong. */
export function queryOf({ webhook: _endpoint, ...query }: Filters): Omit<Filters, 'webhook'> {
  return query;
}

/** The options of a filter, with a value of a link that this version does not know. */
export function withKnown(
  known: readonly string[],
  chosen: string | undefined,
): readonly (readonly [value: string, label: string])[] {
  const other = chosen === undefined || known.includes(chosen) ? [] : [chosen];
  return [...known, ...other].map((value) => [value, value]);
}

const longest = 64;

/** A long URL with its beginning and its end: options of a choice have one line. */
export function shortened(url: string): string {
  if (url.length <= longest) return url;
  return `${url.slice(0, longest - 17)}…${url.slice(-16)}`;
}

/** What a reader pasted into the search: the id of an event or of a Run. */
export function searched(text: string): Pick<Filters, 'event_id' | 'run_id'> {
  const id = text.trim();
  if (id === '') return {};
  return id.startsWith('run_') ? { run_id: id } : { event_id: id };
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
