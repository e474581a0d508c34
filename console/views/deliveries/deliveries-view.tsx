import { useState } from 'preact/hooks';
import { resultOf } from '../../api/client.ts';
import { type Failure, failureOf } from '../../api/failure.ts';
import type { EndpointDelivery } from '../../api/records.ts';
import { Badge } from '../../parts/badge.tsx';
import { FailureCard } from '../../parts/failure-card.tsx';
import { Page } from '../../parts/page.tsx';
import { Empty, LoadedView } from '../../parts/states.tsx';
import { Countdown, RelativeTime } from '../../parts/time.tsx';
import { useLiveRefresh } from '../../parts/use-live-refresh.ts';
import { useLoad } from '../../parts/use-load.ts';
import { type Filters, hrefOf } from '../../routing/route.ts';
import { replaceView } from '../../routing/use-route.ts';
import { useSession } from '../../session/session.ts';
import type { Known } from './delivery-pages.ts';
import { FilterBar } from './filter-bar.tsx';
import { useDeliveries } from './use-deliveries.ts';

/** The deliveries of one endpoint or of all, newest first. */
export function DeliveriesView({ filters }: { readonly filters: Filters }) {
  const { api } = useSession();
  const endpoints = useLoad('endpoints', (signal) => resultOf(api.GET('/v1/webhooks', { signal })));
  const { load, loadOlder } = useDeliveries(filters);
  useLiveRefresh(load.reload, 1);
  const endpointList = endpoints.result.state === 'ready' ? endpoints.result.value.items : [];
  return (
    <Page
      title="Deliveries"
      actions={
        filters.webhook !== undefined && (
          <a class="button" href={hrefOf({ view: 'replays', webhookId: filters.webhook })}>
            Resend what failed
          </a>
        )
      }
    >
      <FilterBar
        key={JSON.stringify(filters)}
        filters={filters}
        endpoints={endpointList}
        onChange={(changed) => replaceView({ view: 'deliveries', filters: changed })}
      />
      <LoadedView load={load} what="the deliveries">
        {(known) => (
          <>
            {known.items.length === 0 && known.nextCursor === null ? (
              <NoDeliveries filtered={Object.keys(filters).length > 0} />
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

function NoDeliveries({ filtered }: { readonly filtered: boolean }) {
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
              <strong>{delivery.event_type}</strong>{' '}
              {delivery.replay_of !== null && <span class="muted">replay</span>}
              <bdi class="muted url">{urls.get(delivery.webhook_id) ?? delivery.webhook_id}</bdi>
              {delivery.error !== null && <span class="error">{delivery.error}</span>}
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
  delivery: { attempts, next_attempt_at: next },
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
  return <span>{attempts === 1 ? '1 attempt' : `${attempts} attempts`}</span>;
}

type OlderProps = { readonly known: Known; readonly onMore: () => Promise<void> };

/** Loads the page that follows. A page can be empty and have a next one, because of the filters. */
function Older({ known, onMore }: OlderProps) {
  const { announce } = useSession();
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Failure | null>(null);
  if (known.nextCursor === null) return null;
  const more = async () => {
    setBusy(true);
    setFailure(null);
    try {
      await onMore();
      announce('Older deliveries were added at the end of the list');
    } catch (thrown) {
      setFailure(failureOf(thrown));
    }
    setBusy(false);
  };
  return (
    <>
      {failure !== null && <FailureCard failure={failure} what="Could not load older deliveries" />}
      <button type="button" class="button" disabled={busy} onClick={() => void more()}>
        {busy ? 'Loading…' : 'Load older deliveries'}
      </button>
    </>
  );
}
