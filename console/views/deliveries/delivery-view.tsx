import { useState } from 'preact/hooks';
import { resultOf } from '../../api/client.ts';
import { type Failure, failureOf } from '../../api/failure.ts';
import type { DeliveryDetail } from '../../api/records.ts';
import { Badge } from '../../parts/badge.tsx';
import { Id } from '../../parts/copy.tsx';
import { Facts } from '../../parts/facts.tsx';
import { FailureCard } from '../../parts/failure-card.tsx';
import { Page } from '../../parts/page.tsx';
import { LoadedView } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { useLiveRefresh } from '../../parts/use-live-refresh.ts';
import { useLoad } from '../../parts/use-load.ts';
import { hrefOf } from '../../routing/route.ts';
import { openView } from '../../routing/use-route.ts';
import { useSession } from '../../session/session.ts';
import { Sent } from './sent.tsx';
import { Timeline } from './timeline-view.tsx';

type Props = { readonly webhookId: string; readonly deliveryId: string };

/** One delivery: where its time went, what was sent, and a button that sends it again. */
export function DeliveryView({ webhookId, deliveryId }: Props) {
  const { api } = useSession();
  const path = { id: webhookId, deliveryId };
  const load = useLoad(`${webhookId}/${deliveryId}`, (signal) =>
    resultOf(api.GET('/v1/webhooks/{id}/deliveries/{deliveryId}', { params: { path }, signal })),
  );
  useLiveRefresh(load.reload, 1);
  return (
    <Page
      title="Delivery"
      up={{
        href: hrefOf({ view: 'deliveries', filters: { webhook: webhookId } }),
        label: 'Deliveries of this endpoint',
      }}
    >
      <LoadedView load={load} what="the delivery">
        {(delivery) => (
          <>
            <Summary delivery={delivery} webhookId={webhookId} />
            <Timeline delivery={delivery} />
            <Sent delivery={delivery} />
          </>
        )}
      </LoadedView>
    </Page>
  );
}

type DeliveryProps = { readonly delivery: DeliveryDetail; readonly webhookId: string };

function Summary({ delivery, webhookId }: DeliveryProps) {
  return (
    <section class="card">
      <p class="summary">
        <Badge status={delivery.status} /> <strong>{delivery.event_type}</strong>
        {delivery.error !== null && <span class="error">{delivery.error}</span>}
      </p>
      <Facts
        rows={[
          ['Delivery', <Id key="delivery" id={delivery.id} what="delivery id" />],
          ['Event', <Id key="event" id={delivery.event_id} what="event id" />],
          [
            'Endpoint',
            <a key="endpoint" href={hrefOf({ view: 'endpoint', webhookId })}>
              {webhookId}
            </a>,
          ],
          ['Created', <Time key="created" at={delivery.created_at} />],
          ['Run', delivery.run_id && <RunLink key="run" runId={delivery.run_id} />],
          ['Tracker', delivery.tracker_id && <TrackerLink key="tracker" trackerId={delivery.tracker_id} />],
          [
            'Replay of',
            delivery.replay_of && (
              <DeliveryLink key="of" webhookId={webhookId} deliveryId={delivery.replay_of} />
            ),
          ],
          [
            'All of this event',
            <a
              key="chain"
              href={hrefOf({
                view: 'deliveries',
                filters: { webhook: webhookId, event_id: delivery.event_id },
              })}
            >
              the first delivery and its replays
            </a>,
          ],
        ]}
      />
      {delivery.status !== 'pending' && <Replay delivery={delivery} webhookId={webhookId} />}
    </section>
  );
}

function RunLink({ runId }: { readonly runId: string }) {
  return <a href={hrefOf({ view: 'run', runId })}>{runId}</a>;
}

function TrackerLink({ trackerId }: { readonly trackerId: string }) {
  return <a href={hrefOf({ view: 'tracker', trackerId })}>{trackerId}</a>;
}

function DeliveryLink({ webhookId, deliveryId }: Props) {
  return <a href={hrefOf({ view: 'delivery', webhookId, deliveryId })}>{deliveryId}</a>;
}

/** Sends the event again, and opens the new delivery. */
function Replay({ delivery, webhookId }: DeliveryProps) {
  const { api, announce } = useSession();
  const [failure, setFailure] = useState<Failure | null>(null);
  const [busy, setBusy] = useState(false);
  const replay = async () => {
    setBusy(true);
    setFailure(null);
    try {
      const path = { id: webhookId, deliveryId: delivery.id };
      const created = await resultOf(
        api.POST('/v1/webhooks/{id}/deliveries/{deliveryId}/replay', { params: { path } }),
      );
      announce('The event was sent again as a new delivery');
      openView({ view: 'delivery', webhookId, deliveryId: created.delivery.id });
    } catch (thrown) {
      setFailure(failureOf(thrown));
      setBusy(false);
    }
  };
  return (
    <>
      <button type="button" class="button primary" disabled={busy} onClick={() => void replay()}>
        {busy ? 'One moment…' : 'Send again'}
      </button>
      {failure !== null && <FailureCard failure={failure} what="Could not send the event again" />}
    </>
  );
}
