import * as z from 'zod';
import { type AttemptLogEntry, attemptOutcomes } from '../../domain/attempt.ts';
import { type Delivery, deliveryStatuses } from '../../domain/delivery.ts';
import { deliveryKey, type ItemKey } from './keys.ts';

const milliseconds = z.number().nullable();

/** `[at, duration, outcome, status, error, dns, connect, tls, first byte]` */
const logEntry = z.tuple([
  z.number(),
  z.number(),
  z.enum(attemptOutcomes),
  z.number().nullable(),
  z.string().nullable(),
  milliseconds,
  milliseconds,
  milliseconds,
  milliseconds,
]);

export type StoredLogEntry = z.infer<typeof logEntry>;

/**
 * A delivery as one item. What its body or its id tell is not stored again, and log entries are short lists, so
 * that a delivery which succeeds at once stays below one write unit.
 */
const deliveryItem = z.object({
  pk: z.string(),
  sk: z.string(),
  body: z.string(),
  status: z.enum(deliveryStatuses),
  attempts: z.number(),
  replay_of: z.string().optional(),
  claim_token: z.string().optional(),
  lease_until: z.number().optional(),
  retry_at: z.number().optional(),
  last_at: z.number().optional(),
  ended_at: z.number().optional(),
  cancelled: z.literal('endpoint_deleted').optional(),
  log: z.array(logEntry).default([]),
});

type DeliveryItem = z.infer<typeof deliveryItem>;

export function toDeliveryItem(delivery: Delivery): ItemKey & Omit<DeliveryItem, 'log'> {
  return {
    ...deliveryKey(delivery),
    body: delivery.body,
    status: delivery.status,
    attempts: delivery.attempts,
    ...present('replay_of', delivery.replayOf),
    ...present('claim_token', delivery.claim?.token ?? null),
    ...present('lease_until', delivery.claim?.leaseUntil ?? null),
    ...present('last_at', delivery.lastAttemptAt),
  };
}

export function fromDeliveryItem(stored: unknown): Delivery {
  const item = deliveryItem.parse(stored);
  const [, customerId = '', webhookId = ''] = item.pk.split('#');
  const { claim_token: token, lease_until: leaseUntil } = item;
  return {
    id: item.sk,
    customerId,
    webhookId,
    body: item.body,
    replayOf: item.replay_of ?? null,
    status: item.status,
    attempts: item.attempts,
    claim: token === undefined || leaseUntil === undefined ? null : { token, leaseUntil },
    retryAt: item.retry_at ?? null,
    lastAttemptAt: item.last_at ?? null,
    endedAt: item.ended_at ?? null,
    cancelled: item.cancelled ?? null,
    log: item.log.map(fromLogEntry),
  };
}

export function toLogEntry(entry: AttemptLogEntry): StoredLogEntry {
  const { dnsMs, connectMs, tlsMs, firstByteMs } = entry.timings;
  const { at, durationMs, outcome, responseStatus, error } = entry;
  return [at, durationMs, outcome, responseStatus, error, dnsMs, connectMs, tlsMs, firstByteMs];
}

function fromLogEntry(stored: StoredLogEntry): AttemptLogEntry {
  const [at, durationMs, outcome, responseStatus, error, dnsMs, connectMs, tlsMs, firstByteMs] = stored;
  return {
    at,
    durationMs,
    outcome,
    responseStatus,
    error,
    timings: { dnsMs, connectMs, tlsMs, firstByteMs },
  };
}

function present<K extends string, V>(
  name: K,
  value: V | null,
): { readonly [P in K]?: V } | Record<never, never> {
  return value === null ? {} : { [name]: value };
}
