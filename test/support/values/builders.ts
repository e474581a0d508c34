import { readEvent } from '#shared/contract/event-body.ts';
import type { AttemptLogEntry, PostResult } from '#shared/domain/attempt.ts';
import { type Delivery, pendingDelivery } from '#shared/domain/delivery.ts';
import type { Endpoint } from '#shared/domain/endpoint.ts';
import { webhookTestBody } from '#shared/domain/event.ts';

/** A time to start from: 2026-01-01T00:00:00.000Z. */
export const startOfTest = Date.UTC(2026, 0, 1);

export const minute = 60_000;
export const hour = 60 * minute;

export const customerId = 'cus_01KDVDRN00000000000000000A';
export const webhookId = 'whe_01KDVDRN00000000000000000A';
export const otherWebhookId = 'whe_01KDVDRN00000000000000000B';

/** Delivery ids of partition 0, made at the start of the test. */
export function deliveryIdNumber(number: number): string {
  return `whd_01KDVDRN00${String(number).padStart(16, '0')}`;
}

/** An active endpoint whose sealed secrets open to `whsec_current` and `whsec_previous` in `openSealed`. */
export function buildEndpoint(given: Partial<Endpoint> = {}): Endpoint {
  return {
    id: webhookId,
    customerId,
    url: 'https://hooks.example.com/in',
    description: '',
    status: 'active',
    secret: 'sealed:whsec_current',
    secretPrefix: 'whsec_curren',
    previousSecret: null,
    previousSecretExpiresAt: null,
    createdAt: startOfTest,
    activatedAt: startOfTest,
    lastDeliveryAt: startOfTest,
    deliveryPartitions: 1,
    ...given,
  };
}

export async function openSealed(sealed: string): Promise<string> {
  return sealed.replace('sealed:', '');
}

export const runBody = JSON.stringify({
  id: 'evt_01KDVDRN00EEEEEEEEEEEEEEEE',
  type: 'run.completed',
  created_at: '2026-01-01T00:00:00.000Z',
  run_id: 'run_1',
});

export const handshakeBody = webhookTestBody(
  { id: 'evt_01KDVDRN00EEEEEEEEEEEEEEEE', createdAt: startOfTest },
  webhookId,
);

/** A delivery that was never attempted. */
export function buildDelivery(given: Partial<Delivery> = {}): Delivery {
  const body = given.body ?? runBody;
  const event = readEvent(body);
  return {
    ...pendingDelivery({ id: deliveryIdNumber(1), customerId, webhookId, body, event }),
    ...given,
  };
}

export const someTimings = { dnsMs: 1, connectMs: 2, tlsMs: 3, firstByteMs: 4 };

export function buildLogEntry(given: Partial<AttemptLogEntry> = {}): AttemptLogEntry {
  return {
    at: startOfTest,
    outcome: 'rejected',
    responseStatus: 500,
    error: 'The receiver answered 500',
    durationMs: 10,
    timings: someTimings,
    ...given,
  };
}

export const acknowledged: PostResult = {
  outcome: 'acknowledged',
  responseStatus: 200,
  error: null,
  durationMs: 10,
  timings: someTimings,
};

export const rejected: PostResult = {
  outcome: 'rejected',
  responseStatus: 500,
  error: 'The receiver answered 500',
  durationMs: 10,
  timings: someTimings,
};
