import { useEffect } from 'preact/hooks';
import type { EndpointDelivery } from '../../api/records.ts';
import { useKept } from '../../kept/kept.tsx';
import { PagedList, Rows } from '../../parts/lists.tsx';
import { Page } from '../../parts/page.tsx';
import { Empty } from '../../parts/states.tsx';
import { useLiveRefresh } from '../../parts/use-live-refresh.ts';
import { type Pages, usePages } from '../../parts/use-pages.ts';
import { ButtonLink, Countdown, RelativeTime } from '../../parts/values.tsx';
import type { Filters, Route } from '../../routing/route.ts';
import { replaceView } from '../../routing/use-route.ts';
import { MayChange } from '../../session/may-change.tsx';
import { useSession } from '../../session/session.ts';
import { useEndpoints } from '../endpoints/endpoints.tsx';
import { firstDue } from './delivery-facts.ts';
import { FilterBar } from './filter-bar.tsx';

/** The deliveries of one endpoint or of all, newest first. */
export function DeliveriesView({ filters }: { readonly filters: Filters }) {
  const { caller } = useSession();
  const { listed } = useKept();
  useEffect(() => {
    listed.current = { ownerId: caller.customer_id, filters };
  }, [filters]);
  const endpoints = useEndpoints().value?.items ?? [];
  const pages = useDeliveries(filters);
  useLiveRefresh(pages.load, { dueAt: ({ items }) => firstDue(items, Date.now()) });
  const isFiltered = Object.keys(filters).length > 0;
  const { webhook: webhookId } = filters;
  const resend: Route = webhookId === undefined ? { view: 'resend' } : { view: 'replays', webhookId };
  return (
    <Page
      title="Deliveries"
      actions={
        <MayChange>
          <ButtonLink to={resend}>Resend what failed</ButtonLink>
        </MayChange>
      }
    >
      <FilterBar
        filters={filters}
        endpoints={endpoints}
        onChange={(changed) => replaceView({ view: 'deliveries', filters: changed })}
      />
      <PagedList pages={pages} what="deliveries">
        {({ behind, items, next_cursor: next }) => (
          <>
            {behind && (
              <button type="button" class="button newer" onClick={() => void pages.showNewest()}>
                Show the newest deliveries
              </button>
            )}
            {items.length === 0 ? (
              <Empty {...none[next !== null ? 'newest' : isFiltered ? 'filtered' : 'all']} />
            ) : (
              <DeliveryRows deliveries={items} urls={new Map(endpoints.map(({ id, url }) => [id, url]))} />
            )}
          </>
        )}
      </PagedList>
    </Page>
  );
}

/** The deliveries that match the filters. */
function useDeliveries(filters: Filters): Pages<EndpointDelivery> {
  const { webhook, ...given } = filters;
  return usePages(JSON.stringify(filters), async (api, page, signal) => {
    // The API refuses wrong values of a link and says what is wrong with them.
    const querySerializer = () => `${new URLSearchParams({ ...given, ...page })}`;
    if (webhook === undefined) return await api.GET('/v1/deliveries', { querySerializer, signal });
    const init = { params: { path: { id: webhook } }, querySerializer, signal };
    const { data, error, response } = await api.GET('/v1/webhooks/{id}/deliveries', init);
    if (data === undefined) return { error, response };
    const items = data.items.map((delivery) => ({ ...delivery, webhook_id: webhook }));
    return { data: { ...data, items }, response };
  });
}

/** What a list without entries says: among the newest deliveries, with filters, and without. */
const none = {
  newest: {
    title: 'No match among the newest deliveries',
    text: 'There are older ones, which may match.',
  },
  filtered: {
    title: 'No delivery matches these filters',
    text: 'Remove a filter, or choose a longer time.',
  },
  all: {
    title: 'No deliveries yet',
    text: 'Each event makes one delivery to each of your active endpoints. New ones appear here by themselves.',
  },
} as const;

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
        next attempt in <Countdown to={next} />
      </span>
    );
  }
  if (attempts === 0) return <span>{status === 'pending' ? 'queued' : 'no attempt'}</span>;
  return <span>{attempts === 1 ? '1 attempt' : `${attempts} attempts`}</span>;
}
