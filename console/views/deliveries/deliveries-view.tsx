import { useEffect, useState } from 'preact/hooks';
import { useKept } from '../../kept/kept.tsx';
import { PagedList } from '../../parts/lists.tsx';
import { focusTitle, Page } from '../../parts/page.tsx';
import { Empty } from '../../parts/states.tsx';
import { usePages } from '../../parts/use-pages.ts';
import { ButtonLink } from '../../parts/values.tsx';
import type { Filters, Route } from '../../routing/route.ts';
import { isOpen, replaceView } from '../../routing/use-route.ts';
import { MayChange } from '../../session/may-change.tsx';
import { useSession } from '../../session/session.ts';
import { useEndpoints } from '../endpoints/endpoints.tsx';
import { firstDue } from './delivery-facts.ts';
import { DeliveryRows, focusRow } from './delivery-rows.tsx';
import { FilterBar } from './filter-bar.tsx';
import { ListHead } from './list-head.tsx';
import { readDeliveries } from './read-deliveries.ts';
import { ResendTicked, useTicks } from './ticks.tsx';

/** The deliveries of one endpoint or of all, newest first. */
export function DeliveriesView({ filters }: { readonly filters: Filters }) {
  const endpoints = useEndpoints().value?.items ?? [];
  const { pages, arrive } = useSeenPages(filters);
  const isFiltered = Object.keys(filters).length > 0;
  const { webhook: webhookId } = filters;
  const key = JSON.stringify(filters);
  const ticks = useTicks(key, pages.hold);
  // The list of the newest may not have what is ticked, and nothing out of sight is resent.
  const showNewest = () => {
    ticks.clear();
    focusTitle();
    void pages.showNewest();
  };
  const { read_only: mayOnlyRead } = useSession().caller;
  const resend: Route = webhookId === undefined ? { view: 'resend' } : { view: 'replays', webhookId };
  return (
    <Page
      title="Deliveries"
      arrive={arrive}
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
      <PagedList key={key} pages={pages} what="deliveries" live={{ dueAt: ({ items }) => firstDue(items, Date.now()) }}>
        {({ behind, items, next_cursor: next }) => (
          <>
            {behind && (
              <button type="button" class="button newer" onClick={showNewest}>
                Show the newest deliveries
              </button>
            )}
            {items.length === 0 ? (
              <Empty {...none[next !== null ? 'newest' : isFiltered ? 'filtered' : 'all']} />
            ) : (
              <>
                <ListHead deliveries={items} filters={filters} />
                <DeliveryRows
                  deliveries={items}
                  urls={webhookId === undefined ? new Map(endpoints.map(({ id, url }) => [id, url])) : null}
                  ticks={webhookId === undefined || mayOnlyRead ? null : ticks}
                />
                {webhookId !== undefined && <ResendTicked ticks={ticks} webhookId={webhookId} />}
              </>
            )}
          </>
        )}
      </PagedList>
    </Page>
  );
}

/** The deliveries that match the filters, with all that the reader had loaded when they come back from one of them. */
function useSeenPages(filters: Filters) {
  const { caller } = useSession();
  const { listed } = useKept();
  const key = JSON.stringify(filters);
  const [back] = useState(() => {
    const seen = listed.current;
    const isSame = seen?.ownerId === caller.customer_id && JSON.stringify(seen.filters) === key;
    return isSame && seen.place !== null && seen.place.opened !== null ? seen.place : null;
  });
  const pages = usePages(key, (api, page, signal) => readDeliveries(api, filters, page, signal), back?.known ?? null);
  const { value: known } = pages.load;
  useEffect(() => {
    const place = { known, scroll: scrollY, opened: null };
    listed.current = { ownerId: caller.customer_id, filters, place };
    // The view that follows scrolls before this one is gone.
    const note = () => {
      if (isOpen({ view: 'deliveries', filters })) place.scroll = scrollY;
    };
    addEventListener('scroll', note, { passive: true });
    return () => removeEventListener('scroll', note);
  }, [key, known]);
  const arrive =
    back === null
      ? undefined
      : () => {
          scrollTo(0, back.scroll);
          focusRow(back.opened);
        };
  return { pages, arrive };
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
