import { useEffect, useRef, useState } from 'preact/hooks';
import { type Api, resultOf } from '../../api/client.ts';
import { ownFailure } from '../../api/failure.ts';
import type { DeliveryDetail, Webhook } from '../../api/records.ts';
import { ActionButton } from '../../parts/actions.tsx';
import { Section } from '../../parts/page.tsx';
import { Badge } from '../../parts/values.tsx';
import { hrefOf } from '../../routing/route.ts';
import { useSession } from '../../session/session.ts';
import { durationText } from '../deliveries/timeline.ts';
import { handshakeOf } from './endpoints.tsx';

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
    <Section title="Send a test event" kind="card">
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
    </Section>
  );
}

/** @returns the new delivery with its first attempt, or without one when none was made in time */
async function sendTest(api: Api, endpoint: Webhook, signal: AbortSignal): Promise<DeliveryDetail> {
  const { id } = endpoint;
  const params = { path: { id }, query: handshakeOf(endpoint) };
  const { items } = await resultOf(api.GET('/v1/webhooks/{id}/deliveries', { params }));
  const handshake = items.at(-1);
  if (handshake === undefined) {
    throw ownFailure('The test delivery of the registration is no longer stored, so it cannot be resent');
  }
  const first = { path: { id, deliveryId: handshake.id } };
  const { delivery } = await resultOf(
    api.POST('/v1/webhooks/{id}/deliveries/{deliveryId}/replay', { params: first }),
  );
  const init = { params: { path: { id, deliveryId: delivery.id } }, signal };
  const read = () => resultOf(api.GET('/v1/webhooks/{id}/deliveries/{deliveryId}', init));
  for (const seconds of waits) {
    await new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
    const detail = await read();
    if (detail.attempt_log.length > 0) return detail;
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
