import * as z from 'zod/mini';
import { parseEvent } from '#shared/contract/event-body.ts';
import type { LoggedAttempt } from '#shared/domain/attempt.ts';
import { type Delivery, deliveryStatuses } from '#shared/domain/delivery.ts';
import { deliveryKey, type ItemKey } from '../keys.ts';
import { reads, time } from '../stored-row.ts';

const milliseconds = z.nullable(z.number());

/** `[at, duration, outcome, status, error, dns, connect, tls, first byte]`, and `true` if it was repeated */
const logEntry = z.tuple(
  [
    time,
    z.number(),
    z.string(),
    z.nullable(z.number()),
    z.nullable(z.string()),
    milliseconds,
    milliseconds,
    milliseconds,
    milliseconds,
  ],
  z.unknown(),
);

export type StoredLogEntry = z.infer<typeof logEntry>;

/** A body with its parsed event, so that no other code parses a body. */
const eventText = z.pipe(
  z.string(),
  z.transform((body, context) => {
    const event = parseEvent(body);
    if (event === null) {
      context.issues.push({ code: 'custom', message: 'must be an event', input: body });
      return z.NEVER;
    }
    return { body, event };
  }),
);

/**
 * A delivery as one item. Facts in its id or body are not stored twice, and log entries are tuples, so that a delivery
 * that succeeds at once stays below one write unit.
 */
const deliveryItem = z.object({
  pk: z.string(),
  sk: z.string(),
  body: eventText,
  status: z.enum(deliveryStatuses),
  attempts: z.number(),
  replay_of: z.optional(z.string()),
  replayed_by: z.optional(z.string()),
  claim_token: z.optional(z.string()),
  lease_until: z.optional(z.number()),
  retry_at: z.optional(time),
  last_at: z.optional(time),
  ended_at: z.optional(time),
  cancelled: z.optional(z.string()),
  log: z._default(z.array(logEntry), []),
});

/** The item of a delivery, without the attributes of the `waiting` index. */
export function toDeliveryItem(delivery: Delivery): ItemKey & z.input<typeof deliveryItem> {
  return {
    ...deliveryKey(delivery),
    body: delivery.body,
    status: delivery.status,
    attempts: delivery.attempts,
    ...present('replay_of', delivery.replayOf),
    ...present('replayed_by', delivery.replayedBy),
    ...present('claim_token', delivery.claim?.fencingToken ?? null),
    ...present('lease_until', delivery.claim?.leaseUntil ?? null),
    ...present('retry_at', delivery.retryAt),
    ...present('last_at', delivery.lastAttemptAt),
    ...present('ended_at', delivery.endedAt),
    ...present('cancelled', delivery.cancelled),
    ...(delivery.log.length === 0 ? {} : { log: delivery.log.map(toLogEntry) }),
  };
}

export const fromDeliveryItem = reads('Delivery', deliveryItem, (item): Delivery => {
  const [, customerId = '', webhookId = ''] = item.pk.split('#');
  const { claim_token: fencingToken, lease_until: leaseUntil } = item;
  return {
    id: item.sk,
    customerId,
    webhookId,
    ...item.body,
    replayOf: item.replay_of ?? null,
    replayedBy: item.replayed_by ?? null,
    status: item.status,
    attempts: item.attempts,
    claim: fencingToken === undefined || leaseUntil === undefined ? null : { fencingToken, leaseUntil },
    retryAt: item.retry_at ?? null,
    lastAttemptAt: item.last_at ?? null,
    endedAt: item.ended_at ?? null,
    cancelled: item.cancelled ?? null,
    log: item.log.map(fromLogEntry),
  };
});

export function toLogEntry(entry: LoggedAttempt): StoredLogEntry {
  const { dnsMs, connectMs, tlsMs, firstByteMs } = entry.timings;
  const { at, durationMs, outcome, responseStatus, error } = entry;
  const repeated = entry.isRepeated ? [true] : [];
  return [at, durationMs, outcome, responseStatus, error, dnsMs, connectMs, tlsMs, firstByteMs, ...repeated];
}

function fromLogEntry(stored: StoredLogEntry): LoggedAttempt {
  const [at, durationMs, outcome, responseStatus, error, dnsMs, connectMs, tlsMs, firstByteMs, repeated] =
    stored;
  return {
    at,
    durationMs,
    outcome,
    responseStatus,
    error,
    isRepeated: repeated === true,
    timings: { dnsMs, connectMs, tlsMs, firstByteMs },
  };
}

function present<K extends string, V>(
  name: K,
  value: V | null,
): { readonly [P in K]?: V } | Record<never, never> {
  return value === null ? {} : { [name]: value };
}
