import { useEffect, useRef, useState } from 'preact/hooks';
import { type Api, resultOf } from '../../api/client.ts';
import { ownFailure } from '../../api/failure.ts';
import type { Delivery, DeliveryDetail, Webhook } from '../../api/records.ts';
import { eventTypes } from '../../api/service-facts.ts';
import { ActionButton } from '../../parts/actions.tsx';
import { Choice, type Options } from '../../parts/fields.tsx';
import { Section } from '../../parts/page.tsx';
import { Badge, NewTab } from '../../parts/values.tsx';
import { hrefOf } from '../../routing/route.ts';
import { useSession } from '../../session/session.ts';
import { FirewallLink } from '../deliveries/firewall-link.tsx';
import { durationText } from '../deliveries/timeline.ts';
import { handshakeOf } from './endpoint-facts.ts';
import { NotActive } from './endpoints.tsx';

/** Seconds before each look: together more than the limit of an attempt and its time in the queue. */
const waits = [1, 1, 2, 2, 3, 3, 4, 4];

/** What can be sent: an example of a type, or the test event of the registration again. */
type Kind = (typeof eventTypes)[number];

const options: Options = eventTypes.map((kind) => [
  kind,
  kind === 'webhook.test' ? 'The test event of the registration' : `An example of ${kind}`,
]);

type Shown = Delivery & Pick<DeliveryDetail, 'attempt_log'>;

/** Leads the reader to the form that sends one. */
export function focusTestEvent(): void {
  document.querySelector<HTMLElement>('.test-event select')?.focus();
}

type Props = { readonly endpoint: Webhook; readonly onSent: () => void };

/** Sends a test event, and shows what came back. */
export function TestEvent({ endpoint, onSent }: Props) {
  const { api } = useSession();
  const [kind, setKind] = useState<Kind>('run.completed');
  const [delivery, setDelivery] = useState<Shown | null>(null);
  const leaving = useRef(new AbortController());
  useEffect(() => () => leaving.current.abort(), []);
  const send = async () => {
    setDelivery(null);
    const created = await create(api, endpoint, kind);
    setDelivery({ ...created, attempt_log: [] });
    onSent();
    // It is sent: when its result cannot be read, the view of the delivery has it.
    await attempted(api, endpoint.id, created.id, leaving.current.signal).then(setDelivery, () => {});
  };
  return (
    <Section title="Send a test event" kind="card test-event">
      {endpoint.status === 'active' ? (
        <>
          <Choice
            label="What to send"
            value={kind}
            options={options}
            onChange={(value) => setKind(eventTypes.find((each) => each === value) ?? kind)}
          />
          <p>
            <Description kind={kind} />
          </p>
          <ActionButton
            label="Send"
            busyLabel="Waiting for the response…"
            failed="Could not send the test event"
            act={send}
          />
          <div role="status">{delivery !== null && <Result delivery={delivery} webhookId={endpoint.id} />}</div>
        </>
      ) : (
        <NotActive endpoint={endpoint} what="no example can be sent to it" />
      )}
    </Section>
  );
}

function Description({ kind }: { readonly kind: Kind }) {
  if (kind === 'webhook.test')
    return (
      <>
        Resends the <code>webhook.test</code> event of the registration, signed like every other event.
      </>
    );
  return (
    <>
      Sends a signed <code>webhook.test</code> whose member <code>example</code> is a complete <code>{kind}</code>. Its
      ids belong to nothing. <NewTab href="docs/events#ask-for-an-example">How to use it</NewTab>
    </>
  );
}

/** @returns the new delivery */
async function create(api: Api, endpoint: Webhook, kind: Kind): Promise<Delivery> {
  const { id } = endpoint;
  if (kind !== 'webhook.test') {
    const init = { params: { path: { id } }, body: { type: kind } };
    return (await resultOf(api.POST('/v1/webhooks/{id}/examples', init))).delivery;
  }
  const params = { path: { id }, query: handshakeOf(endpoint) };
  const { items } = await resultOf(api.GET('/v1/webhooks/{id}/deliveries', { params }));
  const handshake = items.at(-1);
  if (handshake === undefined) {
    throw ownFailure('The test delivery of the registration is no longer stored, so it cannot be resent');
  }
  const first = { path: { id, deliveryId: handshake.id } };
  const replay = api.POST('/v1/webhooks/{id}/deliveries/{deliveryId}/replay', { params: first });
  return (await resultOf(replay)).delivery;
}

/** @returns a new delivery with its first attempt, or without one when none was made in time */
async function attempted(api: Api, id: string, deliveryId: string, signal: AbortSignal): Promise<DeliveryDetail> {
  const init = { params: { path: { id, deliveryId } }, signal };
  const read = () => resultOf(api.GET('/v1/webhooks/{id}/deliveries/{deliveryId}', init));
  for (const seconds of waits) {
    await new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
    const detail = await read();
    if (detail.attempt_log.length > 0) return detail;
  }
  return await read();
}

function Result({ delivery, webhookId }: { readonly delivery: Shown; readonly webhookId: string }) {
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
        <span class="error">
          {attempt.error} <FirewallLink delivery={delivery} />
        </span>
      )}
      <a href={hrefOf({ view: 'delivery', webhookId, deliveryId: delivery.id })}>See the delivery</a>
    </p>
  );
}
