import { useEffect } from 'preact/hooks';
import { resultOf } from '../../api/client.ts';
import type { EndpointDelivery } from '../../api/records.ts';
import { useKept } from '../../kept/kept.tsx';
import { Badge } from '../../parts/badge.tsx';
import { FailureCard } from '../../parts/failure-card.tsx';
import { Page } from '../../parts/page.tsx';
import { Empty, LoadedView } from '../../parts/states.tsx';
import { Countdown, RelativeTime } from '../../parts/time.tsx';
import { useAction } from '../../parts/use-action.ts';
import { useLiveRefresh } from '../../parts/use-live-refresh.ts';
import { useLoad } from '../../parts/use-load.ts';
import { type Filters, hrefOf } from '../../routing/route.ts';
import { replaceView } from '../../routing/use-route.ts';
import { useSession } from '../../session/session.ts';
import { firstDue, type Known } from './delivery-pages.ts';
import { FilterBar } from './filter-bar.tsx';
import { useDeliveries } from './use-deliveries.ts';

/** The deliveries of one endpoint or of all, newest first. */
export function DeliveriesView({ filters }: { readonly filters: Filters }) {
  const { api, caller } = useSession();
  const { listed } = useKept();
  useEffect(() => {
    listed.current = { ownerId: caller.customer_id, filters };
  }, [filters]);
  const endpoints = useLoad('endpoints', (signal) => resultOf(api.GET('/v1/webhooks', { signal })));
  const { load, loadOlder, showNewest } = useDeliveries(filters);
  useLiveRefresh(load, { dueAt: ({ items }) => firstDue(items, Date.now()) });
  const endpointList = endpoints.result.state === 'ready' ? endpoints.result.value.items : [];
  return (
    <Page title="Deliveries" actions={<Resend webhookId={filters.webhook} />}>
      <FilterBar
        filters={filters}
        endpoints={endpointList}
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
              <NoDeliveries filtered={Object.keys(filters).length > 0} more={known.nextCursor !== null} />
            ) : (
              <DeliveryRows
                deliveries={known.items}
                urls={new Map(endpointList.map(({ id, url }) => [id, url]))}
              />
            )}
            <Older known={known} onMore={loadOlder} />
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

function NoDeliveries({ filtered, more }: NoneProps) {
  if (more) {
    return (
      <Empty title="No match among the newest deliveries">
        <p>There are older ones, which may match.</p>
      </Empty>
    );
  }
  return filtered ? (
    <Empty title="No delivery matches these filters">
      <p>Remove a filter, or choose a longer time.</p>
    </Empty>
  ) : (
    <Empty title="No deliveries yet">
      <p>
        Each event makes one delivery to each of your active endpoints. New ones appear here by themselves.
      </p>
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
    <ul class="rows deliveries">
      {deliveries.map((delivery) => (
        <li key={delivery.id}>
          <a
            class="row"
            href={hrefOf({ view: 'delivery', webhookId: delivery.webhook_id, deliveryId: delivery.id })}
          >
            <Badge status={delivery.status} />
            <span class="what">
              <span class="line">
                <strong>{delivery.event_type}</strong>{' '}
                {delivery.replay_of !== null && <span class="tag">replay</span>}
                {delivery.status === 'failed' && replayed.has(delivery.id) && (
                  <span class="tag">sent again</span>
                )}
              </span>
              <bdi class="muted url">{urls.get(delivery.webhook_id) ?? delivery.webhook_id}</bdi>
              {delivery.error !== null && (
                <span class={delivery.status === 'failed' ? 'error' : 'muted problem'}>{delivery.error}</span>
              )}
            </span>
            <span class="muted when">
              <RelativeTime at={delivery.created_at} />
              <Attempts delivery={delivery} />
            </span>
          </a>
        </li>
      ))}
    </ul>
  );
}

function Attempts({
  delivery: { attempts, status, next_attempt_at: next },
}: {
  readonly delivery: EndpointDelivery;
}) {
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

type OlderProps = { readonly known: Known; readonly onMore: () => Promise<number> };

/** Loads the page that follows. A page can be empty and have a next one, because of the filters. */
function Older({ known, onMore }: OlderProps) {
  const { announce } = useSession();
  const { busy, failure, run } = useAction(async () => {
    const count = await onMore();
    announce(count === 0 ? 'No older match so far' : `${count} older deliveries were added`);
  });
  if (known.nextCursor === null) return null;
  return (
    <>
      {failure !== null && <FailureCard failure={failure} what="Could not load older deliveries" />}
      <button type="button" class="button more" aria-disabled={busy} onClick={() => void run()}>
        {busy ? 'Loading…' : 'Load older deliveries'}
      </button>
    </>
  );
}
