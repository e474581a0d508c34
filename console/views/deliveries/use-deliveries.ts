import { useRef } from 'preact/hooks';
import { resultOf } from '../../api/client.ts';
import type { EndpointDelivery } from '../../api/records.ts';
import type { operations } from '../../api/schema.ts';
import { type Load, useLoad } from '../../parts/use-load.ts';
import type { Filters } from '../../routing/route.ts';
import { type Session, useSession } from '../../session/session.ts';
import { type Known, withNewest, withOlder } from './delivery-pages.ts';
import { queryOf } from './filter-values.ts';

type Deliveries = {
  readonly load: Load<Known>;
  /** Reads the page that follows. @throws RequestFailed */
  readonly loadOlder: () => Promise<void>;
};

/** The deliveries that match the filters; a refresh renews the newest page and keeps the older ones. */
export function useDeliveries(filters: Filters): Deliveries {
  const { api } = useSession();
  const key = JSON.stringify(filters);
  const shown = useRef<Known>(undefined);
  const load = useLoad(key, async (signal): Promise<Known> => {
    const page = await readPage(api, filters, undefined, signal);
    return withNewest(shown.current, page);
  });
  shown.current = load.result.state === 'ready' ? load.result.value : undefined;
  const loadOlder = async () => {
    const cursor = shown.current?.nextCursor ?? undefined;
    const page = await readPage(api, filters, cursor);
    load.change((known) => (known.nextCursor === cursor ? withOlder(known, page) : known));
  };
  return { load, loadOlder };
}

type Query = NonNullable<operations['listAllDeliveries']['parameters']['query']>;

type Page = { readonly items: readonly EndpointDelivery[]; readonly next_cursor: string | null };

async function readPage(
  api: Session['api'],
  filters: Filters,
  cursor: string | undefined,
  signal?: AbortSignal,
): Promise<Page> {
  // The API refuses wrong values of a link and says what is wrong with them.
  const query = { ...queryOf(filters), ...(cursor === undefined ? {} : { cursor }) } as Query;
  const abortable = signal === undefined ? {} : { signal };
  const { webhook } = filters;
  if (webhook === undefined)
    return await resultOf(api.GET('/v1/deliveries', { params: { query }, ...abortable }));
  const params = { path: { id: webhook }, query };
  const { items, next_cursor } = await resultOf(
    api.GET('/v1/webhooks/{id}/deliveries', { params, ...abortable }),
  );
  return { items: items.map((delivery) => ({ ...delivery, webhook_id: webhook })), next_cursor };
}
