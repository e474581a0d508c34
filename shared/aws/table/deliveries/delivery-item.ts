import * as z from 'zod/mini';
import { parseEvent } from '#shared/contract/event-body.ts';
import type { LoggedAttempt } from '#shared/domain/attempt.ts';
import { type Delivery, deliveryStatuses } from '#shared/domain/delivery.ts';
import type { ObservedDelivery } from '#shared/domain/delivery-stats.ts';
import { deliveryKey, type ItemKey } from '../keys.ts';
import { type Attributes, orNull, reads, storedRecord, time } from '../stored-row.ts';

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

/** The attempts of a delivery, oldest first. */
export const storedLog = z._default(z.array(z.pipe(logEntry, z.transform(fromLogEntry))), []);

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
const stored = storedRecord('Delivery', {
  pk: z.string(),
  sk: z.string(),
  body: eventText,
  status: z.enum(deliveryStatuses),
  attempts: z.number(),
  replayOf: orNull(z.string()),
  source: orNull(z.string()),
  tally: orNull(z.string()),
  replayedBy: orNull(z.string()),
  claimToken: orNull(z.string()),
  leaseUntil: orNull(z.number()),
  retryAt: orNull(time),
  lastAt: orNull(time),
  endedAt: orNull(time),
  cancelled: orNull(z.string()),
  log: storedLog,
});

/** The item of a delivery, without the attributes of the `waiting` index. */
export function toDeliveryItem(delivery: Delivery): ItemKey & Attributes {
  const { claim, lastAttemptAt: lastAt, log } = delivery;
  return {
    ...deliveryKey(delivery),
    ...stored.attributes({
      ...delivery,
      source: delivery.sourceWebhookId,
      claimToken: claim?.fencingToken,
      leaseUntil: claim?.leaseUntil,
      lastAt,
      log: log.length === 0 ? null : log.map(toLogEntry),
    }),
  };
}

export function fromDeliveryItem(row: unknown): Delivery {
  const { pk, sk: id, body, claimToken: fencingToken, leaseUntil, lastAt, source, ...rest } = stored.read(row);
  const [, customerId = '', webhookId = ''] = pk.split('#');
  return {
    ...rest,
    ...body,
    id,
    customerId,
    webhookId,
    claim: fencingToken === null || leaseUntil === null ? null : { fencingToken, leaseUntil },
    lastAttemptAt: lastAt,
    sourceWebhookId: source,
  };
}

const idInKey = reads('Delivery', z.object({ sk: z.string() }), ({ sk }) => sk);

/** The id of the last delivery that a query read, by its `LastEvaluatedKey`; `null` when it read all. */
export const lastRead = (key: unknown): string | null => (key === undefined ? null : idInKey(key));

const observed = storedRecord('Delivery', {
  sk: z.string(),
  status: z.enum(deliveryStatuses),
  replayOf: orNull(z.string()),
  log: storedLog,
});

/** Reads what figures take of a delivery, without its body. */
export function fromObservedItem(row: unknown): ObservedDelivery {
  const { sk: id, ...rest } = observed.read(row);
  return { id, ...rest };
}

export function toLogEntry(entry: LoggedAttempt): StoredLogEntry {
  const { dnsMs, connectMs, tlsMs, firstByteMs } = entry.timings;
  const { at, durationMs, outcome, responseStatus, error } = entry;
  const repeated = entry.isRepeated ? [true] : [];
  return [at, durationMs, outcome, responseStatus, error, dnsMs, connectMs, tlsMs, firstByteMs, ...repeated];
}

function fromLogEntry(stored: StoredLogEntry): LoggedAttempt {
  const [at, durationMs, outcome, responseStatus, error, dnsMs, connectMs, tlsMs, firstByteMs, repeated] = stored;
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
