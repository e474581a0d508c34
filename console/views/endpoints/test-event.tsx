import { useState } from 'preact/hooks';
import { resultOf } from '../../api/client.ts';
import { type Failure, failureOf } from '../../api/failure.ts';
import type { DeliveryDetail, Webhook } from '../../api/records.ts';
import { Badge } from '../../parts/badge.tsx';
import { FailureCard } from '../../parts/failure-card.tsx';
import { hrefOf } from '../../routing/route.ts';
import { type Session, useSession } from '../../session/session.ts';

type State =
  | { readonly step: 'idle' }
  | { readonly step: 'waiting' }
  | { readonly step: 'failed'; readonly failure: Failure }
  | { readonly step: 'answered'; readonly delivery: DeliveryDetail };

/** Milliseconds between two looks, and how many looks an attempt is given: its limit of ten seconds, and its queue. */
const lookEvery = 1_000;
const looks = 20;

/** Sends the test event of the registration again, and shows what came back. */
export function TestEvent({ endpoint }: { readonly endpoint: Webhook }) {
  const { api } = useSession();
  const [state, setState] = useState<State>({ step: 'idle' });
  const send = async () => {
    setState({ step: 'waiting' });
    try {
      setState({ step: 'answered', delivery: await sendTest(api, endpoint) });
    } catch (thrown) {
      setState({ step: 'failed', failure: failureOf(thrown) });
    }
  };
  return (
    <section class="card" aria-labelledby="test-title">
      <h2 id="test-title">Send a test event</h2>
      <p>
        Sends the <code>webhook.test</code> event of the registration again, signed like every other event.
      </p>
      <button type="button" class="button" disabled={state.step === 'waiting'} onClick={() => void send()}>
        {state.step === 'waiting' ? 'Waiting for the response…' : 'Send'}
      </button>
      <div role="status">
        {state.step === 'answered' && <Result delivery={state.delivery} webhookId={endpoint.id} />}
      </div>
      {state.step === 'failed' && (
        <FailureCard failure={state.failure} what="Could not send the test event" />
      )}
    </section>
  );
}

async function sendTest(api: Session['api'], endpoint: Webhook): Promise<DeliveryDetail> {
  const { items } = await resultOf(
    api.GET('/v1/webhooks/{id}/deliveries', {
      params: { path: { id: endpoint.id }, query: handshakeOf(endpoint) },
    }),
  );
  const handshake = items.at(-1);
  if (handshake === undefined) throw new Error('The test delivery of the registration is no longer stored');
  const path = { id: endpoint.id, deliveryId: handshake.id };
  const { delivery } = await resultOf(
    api.POST('/v1/webhooks/{id}/deliveries/{deliveryId}/replay', { params: { path } }),
  );
  return await waitForAttempt(api, endpoint.id, delivery.id);
}

/** The handshake was created with its endpoint, so a second of deliveries has it. */
function handshakeOf({ created_at: created }: Webhook) {
  const before = new Date(Date.parse(created) + 1_000).toISOString();
  return { event_type: 'webhook.test', created_after: created, created_before: before } as const;
}

async function waitForAttempt(api: Session['api'], id: string, deliveryId: string): Promise<DeliveryDetail> {
  for (let look = 1; ; look += 1) {
    await new Promise((resolve) => setTimeout(resolve, lookEvery));
    const params = { path: { id, deliveryId } };
    const delivery = await resultOf(api.GET('/v1/webhooks/{id}/deliveries/{deliveryId}', { params }));
    if (delivery.attempt_log.length > 0 || look === looks) return delivery;
  }
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
          Answered with {attempt.response_status} after {attempt.duration_ms} ms
        </span>
      ) : (
        <span class="error">{attempt.error}</span>
      )}
      <a href={hrefOf({ view: 'delivery', webhookId, deliveryId: delivery.id })}>See the delivery</a>
    </p>
  );
}
