import { useEffect, useRef, useState } from 'preact/hooks';
import { resultOf } from '../../api/client.ts';
import { ownFailure } from '../../api/failure.ts';
import type { DeliveryDetail, Webhook } from '../../api/records.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { Badge } from '../../parts/badge.tsx';
import { hrefOf } from '../../routing/route.ts';
import { type Session, useSession } from '../../session/session.ts';
import { durationText } from '../deliveries/timeline.ts';
import { handshakeOf } from './handshake.ts';

/** Seconds before each look: together more than the limit of an attempt and its time in the queue. */
const waits = [1, 1, 2, 2, 3, 3, 4, 4];

/** Resends the test event of the registration, and shows what came back. */
export function TestEvent({ endpoint }: { readonly endpoint: Webhook }) {
  const { api } = useSession();
  const [delivery, setDelivery] = useState<DeliveryDetail | null>(null);
  const leaving = useRef(new AbortController());
  useEffect(() => () => leaving.current.abort(), []);
  const send = async () => {
    setDelivery(null);
    setDelivery(await sendTest(api, endpoint, leaving.current.signal));
  };
  return (
    <section class="card" aria-labelledby="test-title">
      <h2 id="test-title">Send a test event</h2>
      <p>
        Resends the <code>webhook.test</code> event of the registration, signed like every other event.
      </p>
      <ActionButton
        label="Send the test event"
        busyLabel="Waiting for the response…"
        failed="Could not send the test event"
        act={send}
      />
      <div role="status">{delivery !== null && <Result delivery={delivery} webhookId={endpoint.id} />}</div>
    </section>
  );
}

async function sendTest(
  api: Session['api'],
  endpoint: Webhook,
  signal: AbortSignal,
): Promise<DeliveryDetail> {
  const { items } = await resultOf(
    api.GET('/v1/webhooks/{id}/deliveries', {
      params: { path: { id: endpoint.id }, query: handshakeOf(endpoint) },
    }),
  );
  const handshake = items.at(-1);
  if (handshake === undefined) {
    throw ownFailure('The test delivery of the registration is no longer stored, so it cannot be resent');
  }
  const path = { id: endpoint.id, deliveryId: handshake.id };
  const { delivery } = await resultOf(
    api.POST('/v1/webhooks/{id}/deliveries/{deliveryId}/replay', { params: { path } }),
  );
  return await waitForAttempt(api, { id: endpoint.id, deliveryId: delivery.id }, signal);
}

async function waitForAttempt(
  api: Session['api'],
  path: { readonly id: string; readonly deliveryId: string },
  signal: AbortSignal,
): Promise<DeliveryDetail> {
  const read = () =>
    resultOf(api.GET('/v1/webhooks/{id}/deliveries/{deliveryId}', { params: { path }, signal }));
  for (const seconds of waits) {
    await new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
    const delivery = await read();
    if (delivery.attempt_log.length > 0) return delivery;
  }
  return await read();
}

function Result({ delivery, webhookId }: { readonly delivery: DeliveryDetail; readonly webhookId: string }) {
  const [attempt] = delivery.attempt_log;
  return (
    <p class="summary">
      <Badge status={delivery.status} />
      {attempt === undefined ? (
        'No attempt yet'
      ) : attempt.outcome === 'acknowledged' ? (
        <span>
          Answered with {attempt.response_status} after {durationText(attempt.duration_ms)}
        </span>
      ) : (
        <span class="error">{attempt.error}</span>
      )}
      <a href={hrefOf({ view: 'delivery', webhookId, deliveryId: delivery.id })}>See the delivery</a>
    </p>
  );
}
