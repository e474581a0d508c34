import * as z from 'zod/mini';
import { statusFilters } from '#shared/domain/delivery.ts';
import { eventTypes } from '#shared/domain/event.ts';
import { engineIdForm, engineIdLength, idPrefixes, isOwnId } from '#shared/domain/ids.ts';
import { responseClasses } from '#shared/domain/response-class.ts';
import { instant, rangeLimit } from './instant.ts';
import { limits } from './limits.ts';

const limitRule = `must be a whole number from 1 to ${limits.pageSizeMax}`;

/** A whole number in the allowed range. Every other value is refused, never clamped. */
const limit = z
  .pipe(z.string().check(z.regex(/^[1-9][0-9]{0,2}$/, limitRule)), z.transform(Number))
  .check(z.refine((value) => value <= limits.pageSizeMax, limitRule));

const cursor = z.optional(z.string().check(z.minLength(1, 'must not be empty')));

/** Query of an operation that takes no parameters. */
export const noQuery = z.object({});

/** Query of every list. */
export const listQuery = z.object({ limit: z._default(limit, limits.pageSizeDefault), cursor });

const isEventId = z.refine<string>(
  (text) => isOwnId('event', text),
  `must be the id of an event: \`${idPrefixes.event}\` and 26 characters`,
);

const isRunId = z.regex(engineIdForm('run'), `must be the id of a Run: \`${idPrefixes.run}\` and an identifier`);

/** A `+` in a query is read as a space: here, the one between a time and its offset. */
const hasPlus = z.refine<string>((text) => !/^\S{16,} \d\d:?\d\d$/.test(text), {
  error: 'must be an ISO 8601 time with a zone, whose `+` must be written as `%2B` in a URL',
  abort: true,
});

/** Epoch milliseconds. */
const time = z.pipe(z.pipe(z.string().check(hasPlus), instant), z.transform(rangeLimit));

/** Query of the list of deliveries. */
export const listDeliveriesQuery = z
  .extend(listQuery, {
    status: z.optional(z.enum(statusFilters)),
    event_type: z.optional(z.enum(eventTypes)),
    response_status: z.optional(z.enum(responseClasses)),
    event_id: z.optional(z.string().check(isEventId)),
    run_id: z.optional(z.string().check(z.maxLength(engineIdLength), isRunId)),
    /** The first moment of the range. */
    created_after: z.optional(time),
    /** The first moment after the range. */
    created_before: z.optional(time),
  })
  // Also called with values that are no times, which have a fault of their own.
  .check(
    z.refine(({ created_after: from = -Infinity, created_before: to = Infinity }) => !(from >= to), {
      path: ['created_before'],
      error: 'must be later than `created_after`',
    }),
  );

/** Query of the list of a Run's items; all items are videos. */
export const listRunItemsQuery = z.extend(listQuery, { type: z._default(z.literal('videos'), 'videos') });

export type ListQuery = z.infer<typeof listQuery>;
export type ListDeliveriesQuery = z.infer<typeof listDeliveriesQuery>;
export type ListRunItemsQuery = z.infer<typeof listRunItemsQuery>;

/** One page of any list. */
export type Page<T> = { readonly items: readonly T[]; readonly next_cursor: string | null };

export function presentPage<T, R>(
  page: { readonly rows: readonly T[]; readonly nextCursor: string | null },
  present: (row: T) => R,
): Page<R> {
  return { items: page.rows.map((row) => present(row)), next_cursor: page.nextCursor };
}
