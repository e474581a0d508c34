import * as z from 'zod/mini';
import { partitions } from '#shared/contract/table-schema.ts';
import { maxDeliveryPartitions } from '#shared/domain/derived-id.ts';
import type { DeliveryHistory, Endpoint } from '#shared/domain/endpoint.ts';
import type { FailureStreak } from '#shared/domain/failure-streak.ts';
import type { Listener } from '#shared/domain/fan-out.ts';
import type { OwedNotice } from '#shared/domain/notice.ts';
import type { SlowPace } from '#shared/domain/post-window.ts';
import { type Attributes, type ReadRow, storedJson, storedRecord, time } from '../stored-row.ts';

const textOrNull = z._default(z.nullable(z.string()), null);
const timeOrNull = z._default(z.nullable(time), null);

const owedNotice = z.object({
  type: z.enum(['endpoint.failing', 'endpoint.recovered']),
  at: time,
  deliveryId: z.string(),
  failingSince: time,
  outcome: z.string(),
  responseStatus: z.nullable(z.number()),
  error: z.nullable(z.string()),
});

/** An element of a set, which workers add to and remove from independently. Members have a fixed order. */
export const toOwedText = (notice: OwedNotice): string => JSON.stringify(notice, Object.keys(owedNotice.shape));

/** Workers note it on an endpoint in the slow lane. */
export function toSlowPaceItem({ notedAt, isAnswering, window }: SlowPace): z.input<typeof slowPaceItem> {
  const { size, fastestMs, lastMs } = window;
  return {
    noted_at: notedAt,
    answering: isAnswering,
    window: size,
    ...(Number.isFinite(fastestMs) && { fastest_ms: fastestMs }),
    ...(Number.isFinite(lastMs) && { last_ms: lastMs }),
  };
}

const slowPaceItem = z.object({
  noted_at: time,
  answering: z.boolean(),
  window: z.number(),
  fastest_ms: z._default(z.number(), Number.POSITIVE_INFINITY),
  last_ms: z._default(z.number(), Number.POSITIVE_INFINITY),
});

const slowPace = z.pipe(
  slowPaceItem,
  z.transform((item): SlowPace => {
    const window = { size: item.window, fastestMs: item.fastest_ms, lastMs: item.last_ms };
    return { notedAt: item.noted_at, isAnswering: item.answering, window };
  }),
);

/** The streak of failures of an endpoint, as it is stored. */
export function toFailureStreakItem(streak: FailureStreak): z.input<typeof failureStreakItem> {
  const { version, since, deliveryIds, toldAt, isTold } = streak;
  return { version, since, delivery_ids: [...deliveryIds], told_at: toldAt, told: isTold };
}

const failureStreakItem = z.object({
  version: z.number(),
  since: z.catch(timeOrNull, null),
  delivery_ids: z.catch(z.array(z.string()), []),
  told_at: z.catch(timeOrNull, null),
  told: z.catch(z.boolean(), false),
});

const failureStreak = z.pipe(
  failureStreakItem,
  z.transform(({ version, since, delivery_ids, told_at, told }): FailureStreak => {
    return { version, since, deliveryIds: delivery_ids, toldAt: told_at, isTold: told };
  }),
);

/** Leaves out what another release wrote and this one cannot read. */
const owedNotices = z.pipe(
  z.catch(z.set(z.catch(z.nullable(z.pipe(storedJson, owedNotice)), null)), new Set()),
  z.transform((notices) => [...notices].filter((notice) => notice !== null)),
);

/** The attributes that locate the deliveries of an endpoint. */
const located = {
  id: z.string(),
  deliveryPartitions: z.int().check(z.minimum(1), z.maximum(maxDeliveryPartitions)),
};

// The lane only saves time: a faulty mark is no mark.
const slowSince = z.catch(timeOrNull, null);

/** An endpoint as one item, live or as a tombstone. A tombstone keeps no secrets. */
const endpointRow = storedRecord('Endpoint', {
  ...located,
  pk: z.string(),
  url: z.string(),
  description: z.string(),
  status: z.enum(['active', 'failed', 'deleted']),
  secret: z._default(z.string(), ''),
  secretPrefix: z.string(),
  previousSecret: textOrNull,
  previousSecretExpiresAt: timeOrNull,
  createdAt: time,
  activatedAt: timeOrNull,
  lastDeliveryAt: timeOrNull,
  slowSince,
  slowPace: z.catch(z._default(z.nullable(slowPace), null), null),
  // For people only: none may hide the endpoint.
  failingSince: z.catch(timeOrNull, null),
  recoveredAt: z.catch(timeOrNull, null),
  failureStreak: z.catch(z._default(z.nullable(failureStreak), null), null),
  owedNotices,
});

/**
 * Reads only the attributes that the intake needs, so that an endpoint with another faulty attribute still receives
 * events.
 */
export const fromListenerItem: ReadRow<Listener> = storedRecord('Endpoint', {
  ...located,
  status: z.string(),
  slowSince,
}).read;

const historyRow = storedRecord('Endpoint', { ...located, pk: z.string() });

/**
 * Reads only the attributes that locate deliveries, so that a history stays readable when another attribute is faulty.
 */
export const fromHistoryItem = (row: unknown): DeliveryHistory => withCustomer(historyRow.read(row));

export const fromEndpointItem = (row: unknown): Endpoint => withCustomer(endpointRow.read(row));

function withCustomer<Row extends { readonly pk: string }>({ pk, ...endpoint }: Row) {
  return { ...endpoint, customerId: pk.slice(partitions.customer.length) };
}

export function toEndpointItem(endpoint: Endpoint): Attributes {
  const { activatedAt, lastDeliveryAt, slowPace: pace, failureStreak: streak, owedNotices: owed } = endpoint;
  return {
    ...endpointRow.attributes({
      ...endpoint,
      slowPace: pace && toSlowPaceItem(pace),
      failureStreak: streak && toFailureStreakItem(streak),
      owedNotices: owed.length === 0 ? null : new Set(owed.map(toOwedText)),
    }),
    // Always stored, as `null` before there is one.
    activated_at: activatedAt,
    last_delivery_at: lastDeliveryAt,
  };
}
