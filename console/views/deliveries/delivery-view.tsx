import { useEffect, useRef } from 'preact/hooks';
import { resultOf } from '../../api/client.ts';
import type { DeliveryDetail, Webhook } from '../../api/records.ts';
import { useKept } from '../../kept/kept.tsx';
import { ActionButton } from '../../parts/actions.tsx';
import { Rows } from '../../parts/lists.tsx';
import { Page, Section } from '../../parts/page.tsx';
import { LoadedView } from '../../parts/states.tsx';
import { useRead } from '../../parts/use-load.ts';
import { Facts, Id, RelativeTime, Time } from '../../parts/values.tsx';
import { hrefOf } from '../../routing/route.ts';
import { openLater } from '../../routing/use-route.ts';
import { useSession } from '../../session/session.ts';
import { NotActive, useEndpoint } from '../endpoints/endpoints.tsx';
import { AttemptNow } from './attempt-now.tsx';
import { shownStatus } from './delivery-facts.ts';
import { FirewallLink } from './firewall-link.tsx';
import { Neighbours } from './neighbours.tsx';
import { Sent } from './sent.tsx';
import { verdictOf } from './timeline.ts';
import { Timeline } from './timeline-view.tsx';

type Props = { readonly webhookId: string; readonly deliveryId: string };

/** One delivery: where its time went, what was sent, and a button that resends it. */
export function DeliveryView({ webhookId, deliveryId }: Props) {
  const { caller } = useSession();
  const listed = useKept().listed.current;
  // The list as the reader left it, or that of the endpoint when a link led here.
  const left = listed?.ownerId === caller.customer_id ? listed.filters : null;
  const path = { id: webhookId, deliveryId };
  const load = useRead(`${webhookId}/${deliveryId}`, (api, signal) =>
    api.GET('/v1/webhooks/{id}/deliveries/{deliveryId}', { params: { path }, signal }),
  );
  // Only for its URL and status: without them the view still works.
  const { value: endpoint } = useEndpoint(webhookId);
  return (
    <Page
      title="Delivery"
      subject={load.value?.event_type}
      status={load.value === null ? undefined : shownStatus(load.value)}
      actions={<Neighbours deliveryId={deliveryId} />}
      up={{
        to: { view: 'deliveries', filters: left ?? { webhook: webhookId } },
        label: left === null ? 'Deliveries of this endpoint' : 'Deliveries',
      }}
    >
      <LoadedView load={load} what="the delivery" live={{ dueAt: (delivery) => delivery.next_attempt_at }}>
        {(loaded) => (
          <>
            <Summary delivery={loaded} webhookId={webhookId} endpoint={endpoint} />
            <Timeline delivery={loaded} next={<AttemptNow deliveryId={deliveryId} onBegun={load.reload} />} />
            <EventDeliveries delivery={loaded} webhookId={webhookId} />
            <Sent delivery={loaded} url={endpoint?.url ?? null} />
          </>
        )}
      </LoadedView>
    </Page>
  );
}

type DeliveryProps = {
  readonly delivery: DeliveryDetail;
  readonly webhookId: string;
  /** `null` until it is loaded. */
  readonly endpoint: Webhook | null;
};

function Summary({ delivery, webhookId, endpoint }: DeliveryProps) {
  const { error, event_id, run_id, tracker_id, change_report_id: reportId, replay_of } = delivery;
  return (
    <section class="card" aria-label="Summary">
      <p class="verdict">{verdictOf(delivery)}</p>
      {error !== null && (
        <p class={`note ${delivery.status === 'failed' ? 'bad' : ''}`}>
          {error} <FirewallLink delivery={delivery} />
        </p>
      )}
      <Facts
        rows={{
          Endpoint: (
            <a href={hrefOf({ view: 'endpoint', webhookId })}>
              <bdi>{endpoint?.url ?? webhookId}</bdi>
            </a>
          ),
          Created: <Time at={delivery.created_at} />,
          Delivery: <Id text={delivery.id} what="delivery id" />,
          Event: <Id text={event_id} what="event id" />,
          Run: run_id && <a href={hrefOf({ view: 'run', runId: run_id })}>{run_id}</a>,
          Tracker: tracker_id && <a href={hrefOf({ view: 'tracker', trackerId: tracker_id })}>{tracker_id}</a>,
          'Change Report': tracker_id && reportId && (
            <a href={hrefOf({ view: 'report', trackerId: tracker_id, reportId })}>{reportId}</a>
          ),
          'Resend of': replay_of && (
            <a
              href={hrefOf({
                view: 'delivery',
                webhookId: delivery.source_webhook_id ?? webhookId,
                deliveryId: replay_of,
              })}
            >
              {replay_of}
            </a>
          ),
          'All of this event': (
            <a href={hrefOf({ view: 'deliveries', filters: { webhook: webhookId, event_id } })}>
              the first delivery and its resends
            </a>
          ),
        }}
      />
      <Resend delivery={delivery} webhookId={webhookId} endpoint={endpoint} />
    </section>
  );
}

/** Resends the event, and opens the new delivery. */
function Resend({ delivery, webhookId, endpoint }: DeliveryProps) {
  const { api, announce, caller } = useSession();
  const resend = async () => {
    const open = openLater();
    const params = { path: { id: webhookId, deliveryId: delivery.id } };
    const created = await resultOf(api.POST('/v1/webhooks/{id}/deliveries/{deliveryId}/replay', { params }));
    announce('The event was resent as a new delivery');
    open({ view: 'delivery', webhookId, deliveryId: created.delivery.id });
  };
  if (delivery.status === 'pending' || caller.read_only) return null;
  if (endpoint !== null && endpoint.status !== 'active') {
    return <NotActive endpoint={endpoint} what="this delivery cannot be resent" />;
  }
  const kind = delivery.status === 'failed' ? 'primary' : '';
  return <ActionButton label="Resend" kind={kind} failed="Could not resend the event" act={resend} />;
}

/** The first delivery of an event and its resends, newest first; nothing while there is only one. */
function EventDeliveries({ delivery, webhookId }: Pick<DeliveryProps, 'delivery' | 'webhookId'>) {
  const { event_id, status } = delivery;
  const { value, reload } = useRead(`${webhookId}/${event_id}`, (api, signal) => {
    const params = { path: { id: webhookId }, query: { event_id } };
    return api.GET('/v1/webhooks/{id}/deliveries', { params, signal });
  });
  const shown = useRef(status);
  useEffect(() => {
    if (shown.current !== status) void reload();
    shown.current = status;
  }, [status, reload]);
  const items = value?.items ?? [];
  if (items.length < 2) return null;
  return (
    <Section title="Deliveries of this event">
      <Rows
        items={items}
        current={delivery.id}
        row={({ id, status, replay_of: original, created_at: created }) => ({
          status,
          what: (
            <>
              <span>
                {original === null ? 'First delivery' : 'Resend'}
                {id === delivery.id && ', this one'}
              </span>
              <code class="muted text">{id}</code>
            </>
          ),
          when: <RelativeTime at={created} />,
          to: { view: 'delivery', webhookId, deliveryId: id },
        })}
      />
    </Section>
  );
}
