import { readEvent } from '#shared/contract/event-body.ts';
import type { StoredApiKey } from '#shared/domain/api-key.ts';
import { type AttemptLogEntry, noTimings, type PostResult } from '#shared/domain/attempt.ts';
import { type BulkReplay, newBulkReplay } from '#shared/domain/bulk-replay.ts';
import type { Connection } from '#shared/domain/connection.ts';
import { type Delivery, pendingDelivery } from '#shared/domain/delivery.ts';
import { deliveryId, digest } from '#shared/domain/derived-id.ts';
import { type Endpoint, initialState } from '#shared/domain/endpoint.ts';
import { runCompletedBody, webhookTestBody } from '#shared/domain/event.ts';
import { makeId } from '#shared/domain/ids.ts';
import type { OwedNotice } from '#shared/domain/notice.ts';
import type { PortalLink } from '#shared/domain/portal-link.ts';
import { nextAttemptAt } from '#shared/domain/retry-plan.ts';
import type { DecryptSecret } from '#shared/operations/ports.ts';
import { sealed, unsealed } from './sealed-secrets.ts';
import { secretNamed } from './secret-named.ts';

/** When a test begins: 2026-11-20T12:00:00.500Z. The half second makes rounding visible. */
export const startOfTest = Date.UTC(2026, 10, 20, 12, 0, 0, 500);

export const minute = 60_000;
export const hour = 60 * minute;

export const customerId = makeId('customer', startOfTest, digest('customer'));
export const webhookId = makeId('webhook', startOfTest, digest('webhook'));
/** Newer than `webhookId`. */
export const otherWebhookId = makeId('webhook', startOfTest + 1, digest('other webhook'));
export const eventId = makeId('event', startOfTest, digest('event'));

/** Ids of deliveries in partition 0, made one millisecond after another. */
export function deliveryIdNumber(number: number): string {
  return deliveryId(startOfTest + number, digest('delivery', String(number)), 1);
}

/** A valid API key. */
export function buildApiKey(given: Partial<StoredApiKey> = {}): StoredApiKey {
  return { id: 'aky_1', customerId, hash: 'hash', prefix: 'key_', createdAt: startOfTest, revokedAt: null, ...given };
}

/** A portal link that lasts an hour and may change things. */
export function buildPortalLink(given: Partial<PortalLink> = {}): PortalLink {
  const times = { createdAt: startOfTest, endsAt: startOfTest + hour, revokedAt: null };
  return { id: 'plk_1', customerId, hash: 'hash', readOnly: false, ...times, ...given };
}

/** A connection that acts for the customer. */
export function buildConnection(given: Partial<Connection> = {}): Connection {
  const times = { createdAt: startOfTest, revokedAt: null, accessRevokedAt: null };
  return { id: 'con_1', user: 'user-1', organization: customerId, ...times, ...given };
}

/** An active endpoint with the sealed `secretNamed('current')`. */
export function buildEndpoint(given: Partial<Endpoint> = {}): Endpoint {
  const owner = { customerId: given.customerId ?? customerId, webhookId: given.id ?? webhookId };
  return {
    id: webhookId,
    customerId,
    url: 'https://hooks.example.com/events',
    description: 'Production',
    status: 'active',
    secret: given.secret ?? sealed(secretNamed('current'), owner),
    secretPrefix: 'whsec_curren',
    previousSecret: null,
    previousSecretExpiresAt: null,
    createdAt: startOfTest,
    activatedAt: startOfTest + 120,
    lastDeliveryAt: startOfTest,
    deliveryPartitions: 1,
    ...initialState,
    ...given,
  };
}

/** A notice that `buildDelivery()` owes. */
export function buildOwedNotice(given: Partial<OwedNotice> = {}): OwedNotice {
  return {
    type: 'endpoint.failing',
    at: startOfTest,
    deliveryId: buildDelivery().id,
    failingSince: startOfTest,
    outcome: 'rejected',
    responseStatus: 503,
    error: 'The receiver responded with status 503',
    ...given,
  };
}

/** A secret that is sealed for the endpoint of `buildEndpoint()`. */
export function sealedSecret(secret: string): string {
  return sealed(secret, { customerId, webhookId });
}

/** Opens a secret for the endpoint that it was sealed for. */
export const openSealed: DecryptSecret = async (secret, context) => unsealed(secret, context);

const event = { id: eventId, createdAt: startOfTest };

export const runBody = runCompletedBody(
  event,
  { id: 'run_1', kind: 'creator_videos', status: 'completed', chargeUsd: 0.0125, trackerId: null },
  'https://api.example.com',
);

export const handshakeBody = webhookTestBody(event, webhookId);

/**
 * A delivery that was never attempted.
 * @param number distinguishes its id: the one that `deliveryIdNumber` gives
 */
export function buildDelivery(given: Partial<Delivery> = {}, number = 1): Delivery {
  const body = given.body ?? runBody;
  return {
    ...pendingDelivery({
      id: deliveryIdNumber(number),
      customerId,
      webhookId,
      body,
      event: readEvent(body),
    }),
    ...given,
  };
}

/** A bulk replay of all failures that begins with the test. */
export function buildBulkReplay(
  given: Partial<Parameters<typeof newBulkReplay>[0]> = {},
  createdAt = startOfTest,
  entropy = digest('bulk replay'),
): BulkReplay {
  const selection = { status: 'failed', createdAfter: 0, createdBefore: startOfTest } as const;
  const requestedBy = { by: 'customer', credentialId: 'aky_1' } as const;
  const asked = { customerId, webhookId, selection, rate: 10, requestedBy, ...given };
  return newBulkReplay(asked, createdAt, entropy);
}

/** When `buildDelivery()` is tried again after an attempt that ended at that time. */
export function retryAfter(attempt: 1 | 2, endedAt: number): number {
  return nextAttemptAt(buildDelivery().id, attempt, endedAt) ?? Number.NaN;
}

export const acknowledged: PostResult = {
  outcome: 'acknowledged',
  responseStatus: 200,
  error: null,
  isRepeated: false,
  durationMs: 184,
  timings: { dnsMs: 12, connectMs: 31, tlsMs: 48, firstByteMs: 93 },
};

export const rejected: PostResult = {
  outcome: 'rejected',
  responseStatus: 500,
  error: 'The endpoint answered 500',
  isRepeated: false,
  durationMs: 61,
  timings: { ...noTimings, firstByteMs: 60 },
};

/** A rejected attempt at the start of the test. */
export function buildLogEntry(given: Partial<AttemptLogEntry> = {}): AttemptLogEntry {
  return { at: startOfTest, ...rejected, ...given };
}

export const acknowledgedAttempt = buildLogEntry({ at: startOfTest + 1000, ...acknowledged });
export const rejectedAttempt = buildLogEntry({ at: startOfTest + 1000 });
