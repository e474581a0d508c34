import * as z from 'zod';
import { deliveryStatuses } from '#shared/domain/delivery.ts';
import { eventTypes } from '#shared/domain/event.ts';
import { engineIdForm, engineIdLength, idPrefixes, isOwnId } from '#shared/domain/ids.ts';
import { responseClasses } from '#shared/domain/response-class.ts';
import { instant } from './instant.ts';
import { limits } from './limits.ts';

/** A whole number in the allowed range. Every other value is refused, never clamped. */
const limit = z
  .string()
  .regex(/^[1-9][0-9]{0,2}$/, `must be a whole number from 1 to ${limits.pageSizeMax}`)
  .transform(Number)
  .refine((value) => value <= limits.pageSizeMax, `must be a whole number from 1 to ${limits.pageSizeMax}`)
  .default(limits.pageSizeDefault);

const cursor = z.string().min(1, 'must not be empty').optional();

/** Query of an operation that takes no parameters. */
export const noQuery = z.object({});

/** Query of every list. */
export const listQuery = z.object({ limit, cursor });

const eventId = z
  .string()
  .refine(
    (text) => isOwnId('event', text),
    `must be the id of an event: \`${idPrefixes.event}\` and 26 characters`,
  );

const runId = z
  .string()
  .max(engineIdLength)
  .regex(engineIdForm('run'), `must be the id of a Run: \`${idPrefixes.run}\` and an identifier`);

/** Epoch milliseconds. */
const time = instant.transform((text) => Date.parse(text));

/** Query of the list of deliveries. */
export const listDeliveriesQuery = listQuery
  .extend({
    status: z.enum(deliveryStatuses).optional(),
    event_type: z.enum(eventTypes).optional(),
    response_status: z.enum(responseClasses).optional(),
    event_id: eventId.optional(),
    run_id: runId.optional(),
    /** The first moment of the range. */
    created_after: time.optional(),
    /** The first moment after the range. */
    created_before: time.optional(),
  })
  // Also called with values that are no times, which have a fault of their own.
  .refine(({ created_after: from = -Infinity, created_before: to = Infinity }) => !(from >= to), {
    path: ['created_before'],
    error: 'must be later than `created_after`',
  });

/** Query of the list of a Run's items; all items are videos. */
export const listRunItemsQuery = listQuery.extend({ type: z.literal('videos').default('videos') });

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
