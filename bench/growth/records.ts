import { hashApiKey, makeApiKey } from '#shared/auth/api-key.ts';
import { readEvent } from '#shared/contract/event-body.ts';
import type { SettledRun, VideoItem } from '#shared/contract/records/given-results.ts';
import type { StoredChangeReport, StoredTracker } from '#shared/contract/records/stored-results.ts';
import type { StoredApiKey } from '#shared/domain/api-key.ts';
import { type LoggedAttempt, noTimings } from '#shared/domain/attempt.ts';
import type { Creator } from '#shared/domain/creator.ts';
import { type Delivery, pendingDelivery, recorded } from '#shared/domain/delivery.ts';
import { deliveryId, digest } from '#shared/domain/derived-id.ts';
import type { Endpoint } from '#shared/domain/endpoint.ts';
import { type EventRun, runCompletedBody } from '#shared/domain/event.ts';
import type { FanOut } from '#shared/domain/fan-out.ts';
import { type IdKind, makeId } from '#shared/domain/ids.ts';

/**
 * The records of a measured table. Each follows from its index alone, so the position of any page is known without
 * reading the pages before it. All records of a kind have the same size: then units can be compared exactly.
 */
const stepMs = 10;

/** The last digit is never 0: DynamoDB stores a number without its trailing zeros. */
const firstTime = Date.UTC(2026, 0, 1) + 7;

/** After every stored record; also ends in 7. */
export const timeAfterAll = Date.UTC(2026, 5, 1) + 7;

export const timeOf = (index: number): number => firstTime + index * stepMs;

const isoOf = (index: number): string => new Date(timeOf(index)).toISOString();

const idOf = (kind: IdKind, index: number): string =>
  makeId(kind, timeOf(index), digest(kind, String(index)));

export const customerIdAt = (index: number): string => idOf('customer', index);

/** The customer and the endpoint that are measured. */
export const measured = {
  customerId: customerIdAt(0),
  webhookId: idOf('webhook', 0),
  runId: idOf('run', 0),
  trackerId: idOf('tracker', 0),
  creator: { platform: 'tiktok', handle: 'example.creator' } satisfies Creator,
} as const;

export const baseUrl = 'https://a1b2c3d4e5.execute-api.us-east-1.amazonaws.com/production';

export function endpointAt(index: number): Endpoint {
  return {
    id: idOf('webhook', index),
    customerId: customerIdAt(index),
    url: 'https://hooks.example.com/service',
    description: 'Production',
    status: 'active',
    secret: Buffer.alloc(190, 1).toString('base64'),
    secretPrefix: 'whsec_AAAAAA',
    previousSecret: null,
    previousSecretExpiresAt: null,
    createdAt: timeOf(index),
    activatedAt: timeOf(index),
    lastDeliveryAt: timeOf(index),
    deliveryPartitions: 1,
    slowSince: null,
  };
}

const acknowledged: LoggedAttempt = {
  at: timeOf(1),
  outcome: 'acknowledged',
  responseStatus: 200,
  error: null,
  durationMs: 123,
  timings: { dnsMs: 1, connectMs: 11, tlsMs: 21, firstByteMs: 91 },
};

const rejected: LoggedAttempt = {
  ...acknowledged,
  outcome: 'rejected',
  responseStatus: 500,
  error: 'The receiver responded with status 500',
  timings: noTimings,
};

/** Every tenth delivery failed. */
const isFailed = (index: number): boolean => index % 10 === 0;

export const deliveryIdAt = (index: number): string => deliveryId(timeOf(index), digest(String(index)), 1);

export function deliveryAt(index: number, { id: webhookId, customerId }: Endpoint = endpointAt(0)): Delivery {
  const event = { id: idOf('event', index), createdAt: timeOf(index) };
  const body = runCompletedBody(event, eventRunAt(index), baseUrl);
  const id = deliveryIdAt(index);
  const pending = pendingDelivery({ id, customerId, webhookId, body, event: readEvent(body) });
  const entry = isFailed(index) ? rejected : acknowledged;
  return recorded({ ...pending, attempts: 1 }, entry, {
    status: isFailed(index) ? 'failed' : 'delivered',
    endedAt: timeOf(index + 1),
  });
}

function eventRunAt(index: number): EventRun {
  return {
    id: runIdAt(index),
    kind: 'creator_videos',
    status: 'completed',
    chargeUsd: 0.25,
    trackerId: null,
  };
}

export const runIdAt = (index: number): string => idOf('run', index);

export function runAt(index: number): SettledRun {
  return {
    id: runIdAt(index),
    kind: 'creator_videos',
    status: 'completed',
    tracker_id: null,
    charge_usd: 0.25,
    created_at: isoOf(index),
    settled_at: isoOf(index + 1),
    error: null,
    problems: null,
  };
}

export function fanOutAt(index: number): FanOut {
  return {
    eventId: idOf('event', index),
    acceptedAt: timeOf(index),
    deliveries: [{ webhookId: measured.webhookId, deliveryId: deliveryIdAt(index) }],
  };
}

export function videoAt(index: number): VideoItem {
  const number = String(index).padStart(9, '0');
  const at = isoOf(index);
  return {
    platform: measured.creator.platform,
    id: number,
    url: `https://www.tiktok.com/@example.creator/video/${number}`,
    description: 'A video',
    posted_at: at,
    duration_seconds: 30,
    thumbnail_url: `https://cdn.example.com/${number}.jpg`,
    hashtags: ['example'],
    sound: { id: 'snd_1', title: 'Original sound' },
    creator: { id: 'cre_1', handle: measured.creator.handle, name: 'Creator', follower_count: 10 },
    snapshot: { at, views: 1, likes: 2, comments: 3, shares: 4, saves: 5 },
    scores: null,
  };
}

export const tracker: StoredTracker = {
  id: measured.trackerId,
  kind: 'creator',
  status: 'active',
  created_at: isoOf(0),
};

export function reportAt(index: number): StoredChangeReport {
  return { id: idOf('changeReport', index), run_id: runIdAt(index), created_at: isoOf(index) };
}

export const reportRunAt = (index: number): EventRun => ({
  ...eventRunAt(index),
  trackerId: measured.trackerId,
});

/** An API key of the measured customer, as its owner knows it. */
export const apiKeyTextAt = (index: number): string => makeApiKey(digest('key', String(index)));

export function apiKeyAt(index: number, customerId: string = measured.customerId): StoredApiKey {
  const key = apiKeyTextAt(index);
  return {
    id: idOf('apiKey', index),
    customerId,
    hash: hashApiKey(key),
    prefix: key.slice(0, 8),
    createdAt: timeOf(index),
    revokedAt: null,
  };
}
