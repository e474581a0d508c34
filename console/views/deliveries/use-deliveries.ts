import { useRef } from 'preact/hooks';
import type { operations } from '../../../packages/api-client/schema.ts';
import { resultOf } from '../../api/client.ts';
import type { EndpointDelivery } from '../../api/records.ts';
import { type Load, useLoad } from '../../parts/use-load.ts';
import type { Filters } from '../../routing/route.ts';
import { type Session, useSession } from '../../session/session.ts';
import { type Known, withNewest, withOlder } from './delivery-pages.ts';
import { queryOf } from './filter-values.ts';

type Deliveries = {
  readonly load: Load<Known>;
  /** Reads on until there is something to add. @returns how many were added @throws RequestFailed */
  readonly loadOlder: () => Promise<number>;
  /** Begins again with the newest. */
  readonly showNewest: () => Promise<void>;
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
    // From now on a refresh keeps the end of the list, to which the pages are added.
    load.change((known) => ({ ...known, extended: true }));
    let cursor = shown.current?.nextCursor ?? null;
    for (let count = 0; cursor !== null && count < emptyPages; count += 1) {
      const from: string = cursor;
      const page = await readPage(api, filters, from);
      load.change((known) => (known.nextCursor === from ? withOlder(known, page) : known));
      if (page.items.length > 0) return page.items.length;
      cursor = page.next_cursor;
    }
    return 0;
  };
  const showNewest = async () => {
    shown.current = undefined;
    load.change((known) => ({ ...known, extended: false }));
    await load.reload();
  };
  return { load, loadOlder, showNewest };
}

/** With filters, a page can be empty although there are older matches. At most this number is read at once. */
const emptyPages = 4;

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
