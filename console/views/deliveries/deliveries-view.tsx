import { useEffect } from 'preact/hooks';
import type { EndpointDelivery } from '../../api/records.ts';
import { useKept } from '../../kept/kept.tsx';
import { More } from '../../parts/more.tsx';
import { Page } from '../../parts/page.tsx';
import { Rows } from '../../parts/rows.tsx';
import { Empty, LoadedView } from '../../parts/states.tsx';
import { Countdown, RelativeTime } from '../../parts/time.tsx';
import { useLiveRefresh } from '../../parts/use-live-refresh.ts';
import { type Filters, hrefOf } from '../../routing/route.ts';
import { replaceView } from '../../routing/use-route.ts';
import { useSession } from '../../session/session.ts';
import { useEndpoints } from '../endpoints/use-endpoints.ts';
import { FilterBar } from './filter-bar.tsx';
import { firstDue } from './first-due.ts';
import { useDeliveries } from './use-deliveries.ts';

/** The deliveries of one endpoint or of all, newest first. */
export function DeliveriesView({ filters }: { readonly filters: Filters }) {
  const { caller } = useSession();
  const { listed } = useKept();
  useEffect(() => {
    listed.current = { ownerId: caller.customer_id, filters };
  }, [filters]);
  const endpoints = useEndpoints().value?.items ?? [];
  const pages = useDeliveries(filters);
  const { load, showNewest } = pages;
  useLiveRefresh(load, { dueAt: ({ items }) => firstDue(items, Date.now()) });
  return (
    <Page title="Deliveries" actions={<Resend webhookId={filters.webhook} />}>
      <FilterBar
        filters={filters}
        endpoints={endpoints}
        onChange={(changed) => replaceView({ view: 'deliveries', filters: changed })}
      />
      <LoadedView load={load} what="the deliveries">
        {(known) => (
          <>
            {known.behind && (
              <button type="button" class="button newer" onClick={() => void showNewest()}>
                Show the newest deliveries
              </button>
            )}
            {known.items.length === 0 ? (
              <NoDeliveries filtered={Object.keys(filters).length > 0} more={known.next_cursor !== null} />
            ) : (
              <DeliveryRows
                deliveries={known.items}
                urls={new Map(endpoints.map(({ id, url }) => [id, url]))}
              />
            )}
            <More pages={pages} what="deliveries" />
          </>
        )}
      </LoadedView>
    </Page>
  );
}

function Resend({ webhookId }: { readonly webhookId: string | undefined }) {
  return (
    <a
      class="button"
      href={hrefOf(webhookId === undefined ? { view: 'resend' } : { view: 'replays', webhookId })}
    >
      Resend what failed
    </a>
  );
}

type NoneProps = { readonly filtered: boolean; readonly more: boolean };

const none = {
  newest: ['No match among the newest deliveries', 'There are older ones, which may match.'],
  filtered: ['No delivery matches these filters', 'Remove a filter, or choose a longer time.'],
  all: [
    'No deliveries yet',
    'Each event makes one delivery to each of your active endpoints. New ones appear here by themselves.',
  ],
} as const;

function NoDeliveries({ filtered, more }: NoneProps) {
  const [title, text] = none[more ? 'newest' : filtered ? 'filtered' : 'all'];
  return (
    <Empty title={title}>
      <p>{text}</p>
    </Empty>
  );
}

type RowsProps = {
  readonly deliveries: readonly EndpointDelivery[];
  readonly urls: ReadonlyMap<string, string>;
};

function DeliveryRows({ deliveries, urls }: RowsProps) {
  // A replay is newer than what it replays, so the list has it, unless a filter leaves it out.
  const replayed = new Set(deliveries.map(({ replay_of }) => replay_of));
  return (
    <Rows
      items={deliveries}
      kind="deliveries"
      row={(delivery) => ({
        status: delivery.status,
        what: (
          <>
            <span class="line">
              <strong>{delivery.event_type}</strong>{' '}
              {delivery.replay_of !== null && <span class="tag">resend</span>}
              {delivery.status === 'failed' && replayed.has(delivery.id) && <span class="tag">resent</span>}
            </span>
            <bdi class="muted url">{urls.get(delivery.webhook_id) ?? delivery.webhook_id}</bdi>
            {delivery.error !== null && (
              <span class={delivery.status === 'failed' ? 'error' : 'muted problem'}>{delivery.error}</span>
            )}
          </>
        ),
        when: (
          <>
            <RelativeTime at={delivery.created_at} />
            <Attempts delivery={delivery} />
          </>
        ),
        to: { view: 'delivery', webhookId: delivery.webhook_id, deliveryId: delivery.id },
      })}
    />
  );
}

function Attempts({ delivery }: { readonly delivery: EndpointDelivery }) {
  const { attempts, status, next_attempt_at: next } = delivery;
  if (next !== null) {
    return (
      <span>
        next attempt in <Countdown to={next} ended="a moment" />
      </span>
    );
  }
  if (attempts === 0) return <span>{status === 'pending' ? 'queued' : 'no attempt'}</span>;
  return <span>{attempts === 1 ? '1 attempt' : `${attempts} attempts`}</span>;
}
