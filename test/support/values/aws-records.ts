import { readEvent } from '#shared/contract/event-body.ts';
import { type AttemptLogEntry, noTimings } from '#shared/domain/attempt.ts';
import { type Delivery, pendingDelivery } from '#shared/domain/delivery.ts';
import { deliveryId, digest } from '#shared/domain/derived-id.ts';
import type { Endpoint } from '#shared/domain/endpoint.ts';
import { runCompletedBody } from '#shared/domain/event.ts';
import { makeId } from '#shared/domain/ids.ts';

/** Records as the operations make them; each test names what matters to it. */
export const at = Date.UTC(2026, 10, 20, 12, 0, 0, 500);
export const customerId = makeId('customer', at, digest('customer'));
export const webhookId = makeId('webhook', at, digest('webhook'));

export function someEndpoint(given: Partial<Endpoint> = {}): Endpoint {
  return {
    id: webhookId,
    customerId,
    url: 'https://hooks.example.com/events',
    description: 'Production',
    status: 'active',
    secret: 'sealed-secret',
    secretPrefix: 'whsec_AAAAAA',
    previousSecret: null,
    previousSecretExpiresAt: null,
    createdAt: at,
    activatedAt: at + 120,
    lastDeliveryAt: at,
    deliveryPartitions: 1,
    ...given,
  };
}

export const someBody = runCompletedBody(
  { id: makeId('event', at, digest('event')), createdAt: at },
  {
    id: makeId('run', at, digest('run')),
    kind: 'creator_videos',
    status: 'completed',
    chargeUsd: 0.0125,
    trackerId: null,
  },
  'https://api.example.com',
);

/** @param number makes ids distinct */
export function someDelivery(given: Partial<Delivery> = {}, number = 0): Delivery {
  const id = deliveryId(at + number, digest('delivery', String(number)), 1);
  const body = given.body ?? someBody;
  return { ...pendingDelivery({ id, customerId, webhookId, body, event: readEvent(body) }), ...given };
}

export const acknowledged: AttemptLogEntry = {
  at: at + 1000,
  outcome: 'acknowledged',
  responseStatus: 200,
  error: null,
  durationMs: 184,
  timings: { dnsMs: 12, connectMs: 31, tlsMs: 48, firstByteMs: 93 },
};

export const rejected: AttemptLogEntry = {
  at: at + 1000,
  outcome: 'rejected',
  responseStatus: 500,
  error: 'The endpoint answered 500',
  durationMs: 61,
  timings: { ...noTimings, firstByteMs: 60 },
};
