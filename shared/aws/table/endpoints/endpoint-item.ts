import * as z from 'zod/mini';
import { partitions } from '#shared/contract/table-schema.ts';
import { maxDeliveryPartitions } from '#shared/domain/derived-id.ts';
import type { DeliveryHistory, Endpoint } from '#shared/domain/endpoint.ts';
import type { FailureStreak } from '#shared/domain/failure-streak.ts';
import type { Listener } from '#shared/domain/fan-out.ts';
import type { OwedNotice } from '#shared/domain/notice.ts';
import type { SlowPace } from '#shared/domain/post-window.ts';
import { reads, storedJson, time } from '../stored-row.ts';

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
export const toOwedText = (notice: OwedNotice): string =>
  JSON.stringify(notice, Object.keys(owedNotice.shape));

/** Workers note it on an endpoint in the slow lane. */
export function toSlowPaceItem({ notedAt, isAnswering, window }: SlowPace): z.input<typeof slowPace> {
  const { size, fastestMs, lastMs } = window;
  return {
    noted_at: notedAt,
    answering: isAnswering,
    window: size,
    ...(Number.isFinite(fastestMs) && { fastest_ms: fastestMs }),
    ...(Number.isFinite(lastMs) && { last_ms: lastMs }),
  };
}

const slowPace = z.object({
  noted_at: time,
  answering: z.boolean(),
  window: z.number(),
  fastest_ms: z._default(z.number(), Number.POSITIVE_INFINITY),
  last_ms: z._default(z.number(), Number.POSITIVE_INFINITY),
});

/** The streak of failures of an endpoint, as it is stored. */
export function toFailureStreakItem(streak: FailureStreak): z.input<typeof failureStreak> {
  const { version, since, deliveryIds, toldAt, isTold } = streak;
  return { version, since, delivery_ids: [...deliveryIds], told_at: toldAt, told: isTold };
}

const failureStreak = z.object({
  version: z.number(),
  since: z.catch(timeOrNull, null),
  delivery_ids: z.catch(z.array(z.string()), []),
  told_at: z.catch(timeOrNull, null),
  told: z.catch(z.boolean(), false),
});

/** Leaves out what another release wrote and this one cannot read. */
const owedNotices = z.pipe(
  z.catch(z.set(z.catch(z.nullable(z.pipe(storedJson, owedNotice)), null)), new Set()),
  z.transform((notices) => [...notices].filter((notice) => notice !== null)),
);

/** An endpoint as one item, live or as a tombstone. A tombstone keeps no secrets. */
const endpointItem = z.object({
  pk: z.string(),
  id: z.string(),
  url: z.string(),
  description: z.string(),
  status: z.enum(['active', 'failed', 'deleted']),
  secret: z._default(z.string(), ''),
  secret_prefix: z.string(),
  previous_secret: z._default(z.nullable(z.string()), null),
  previous_secret_expires_at: timeOrNull,
  created_at: time,
  activated_at: timeOrNull,
  last_delivery_at: timeOrNull,
  delivery_partitions: z.int().check(z.minimum(1), z.maximum(maxDeliveryPartitions)),
  // The lane only saves time: a faulty mark is no mark.
  slow_since: z.catch(timeOrNull, null),
  slow_pace: z.catch(z._default(z.nullable(slowPace), null), null),
  // For people only: none may hide the endpoint.
  failing_since: z.catch(timeOrNull, null),
  recovered_at: z.catch(timeOrNull, null),
  failure_streak: z.catch(z._default(z.nullable(failureStreak), null), null),
  owed_notices: owedNotices,
});

/**
 * Reads only the attributes that the intake needs, so that an endpoint with another faulty attribute still receives
 * events.
 */
export const fromListenerItem = reads(
  'Endpoint',
  z.extend(z.pick(endpointItem, { id: true, status: true, delivery_partitions: true, slow_since: true }), {
    status: z.string(),
  }),
  ({ id, status, delivery_partitions, slow_since }): Listener => ({
    id,
    status,
    deliveryPartitions: delivery_partitions,
    slowSince: slow_since,
  }),
);

/**
 * Reads only the attributes that locate deliveries, so that a history stays readable when another attribute is faulty.
 */
export const fromHistoryItem = reads(
  'Endpoint',
  z.pick(endpointItem, { pk: true, id: true, delivery_partitions: true }),
  ({ pk, id, delivery_partitions }): DeliveryHistory => ({
    id,
    customerId: pk.slice('CUS#'.length),
    deliveryPartitions: delivery_partitions,
  }),
);

export function toEndpointItem(endpoint: Endpoint) {
  return {
    id: endpoint.id,
    url: endpoint.url,
    description: endpoint.description,
    status: endpoint.status,
    secret: endpoint.secret,
    secret_prefix: endpoint.secretPrefix,
    created_at: endpoint.createdAt,
    activated_at: endpoint.activatedAt,
    last_delivery_at: endpoint.lastDeliveryAt,
    delivery_partitions: endpoint.deliveryPartitions,
    ...(endpoint.previousSecret === null ? {} : { previous_secret: endpoint.previousSecret }),
    ...(endpoint.previousSecretExpiresAt === null
      ? {}
      : { previous_secret_expires_at: endpoint.previousSecretExpiresAt }),
    ...(endpoint.slowSince === null ? {} : { slow_since: endpoint.slowSince }),
    ...(endpoint.slowPace === null ? {} : { slow_pace: toSlowPaceItem(endpoint.slowPace) }),
    ...(endpoint.failingSince === null ? {} : { failing_since: endpoint.failingSince }),
    ...(endpoint.recoveredAt === null ? {} : { recovered_at: endpoint.recoveredAt }),
    ...(endpoint.failureStreak === null
      ? {}
      : { failure_streak: toFailureStreakItem(endpoint.failureStreak) }),
    ...(endpoint.owedNotices.length > 0 && { owed_notices: new Set(endpoint.owedNotices.map(toOwedText)) }),
  };
}

export const fromEndpointItem = reads(
  'Endpoint',
  endpointItem,
  (item): Endpoint => ({
    id: item.id,
    customerId: item.pk.slice(partitions.customer.length),
    url: item.url,
    description: item.description,
    status: item.status,
    secret: item.secret,
    secretPrefix: item.secret_prefix,
    previousSecret: item.previous_secret,
    previousSecretExpiresAt: item.previous_secret_expires_at,
    createdAt: item.created_at,
    activatedAt: item.activated_at,
    lastDeliveryAt: item.last_delivery_at,
    deliveryPartitions: item.delivery_partitions,
    slowSince: item.slow_since,
    slowPace: item.slow_pace && {
      notedAt: item.slow_pace.noted_at,
      isAnswering: item.slow_pace.answering,
      window: {
        size: item.slow_pace.window,
        fastestMs: item.slow_pace.fastest_ms,
        lastMs: item.slow_pace.last_ms,
      },
    },
    failingSince: item.failing_since,
    recoveredAt: item.recovered_at,
    failureStreak: item.failure_streak && {
      version: item.failure_streak.version,
      since: item.failure_streak.since,
      deliveryIds: item.failure_streak.delivery_ids,
      toldAt: item.failure_streak.told_at,
      isTold: item.failure_streak.told,
    },
    owedNotices: item.owed_notices,
  }),
);
