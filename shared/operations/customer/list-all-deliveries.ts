import type { ListDeliveriesQuery } from '#shared/contract/list-query.ts';
import type { Delivery } from '#shared/domain/delivery.ts';
import type { ListLiveEndpoints } from '#shared/operations/ports.ts';
import {
  findDeliveries,
  type ReadDeliveries,
  type ReadEventDeliveries,
  type ReadRunEventIds,
} from './list-deliveries.ts';
import { type Cursors, type ListPage, openCursor, type Rows, sealNext } from './paging.ts';

type Deps = {
  readonly cursors: Cursors;
  readonly listLiveEndpoints: ListLiveEndpoints;
  readonly readDeliveries: ReadDeliveries;
  readonly readEventDeliveries: ReadEventDeliveries;
  readonly readRunEventIds: ReadRunEventIds;
};

/**
 * The deliveries of all endpoints that a customer holds, newest first. Those of deleted endpoints are left out. A page
 * reads as much of each endpoint as a page of that endpoint alone, at the same time.
 */
export function listAllDeliveries({ cursors, listLiveEndpoints, ...reads }: Deps) {
  return async (
    customerId: string,
    { limit, cursor, ...criteria }: ListDeliveriesQuery,
  ): Promise<ListPage<Delivery>> => {
    const scope = ['all-deliveries', customerId, JSON.stringify(criteria)];
    const after = await openCursor(cursors, scope, cursor);
    const endpoints = await listLiveEndpoints(customerId);
    const find = findDeliveries({ ...reads, readRunEventIds: readOnce(reads.readRunEventIds) });
    const pages = await Promise.all(endpoints.map((endpoint) => find(endpoint, criteria, { after, limit })));
    return sealNext(cursors, scope, mergePages(pages, limit));
  };
}

/**
 * The newest `limit` rows of all pages. A page that has a next one says nothing about what is older than its last
 * position, so older rows of the other pages are left for the next page.
 */
export function mergePages(pages: readonly Rows<Delivery>[], limit: number): Rows<Delivery> {
  const horizon = pages
    .flatMap(({ next }) => next ?? [])
    .toSorted()
    .at(-1);
  const known = pages
    .flatMap(({ rows }) => rows)
    .filter(({ id }) => horizon === undefined || id >= horizon)
    .toSorted((left, right) => (left.id < right.id ? 1 : -1));
  const rows = known.slice(0, limit);
  return { rows, next: known.length > limit ? (rows.at(-1)?.id ?? null) : (horizon ?? null) };
}

/** All endpoints have the events of the same Run. */
function readOnce(read: ReadRunEventIds): ReadRunEventIds {
  let ids: ReturnType<ReadRunEventIds> | null = null;
  return (customerId, runId) => {
    ids ??= read(customerId, runId);
    return ids;
  };
}
