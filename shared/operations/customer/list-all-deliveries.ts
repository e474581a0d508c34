import type { ListDeliveriesQuery } from '#shared/contract/list-query.ts';
import type { Delivery } from '#shared/domain/delivery.ts';
import { mergeNewestFirst } from '#shared/domain/newest-first.ts';
import type { ListLiveEndpoints } from '#shared/operations/ports.ts';
import {
  findDeliveries,
  type ReadDeliveries,
  type ReadEventDeliveries,
  type ReadRunEventIds,
} from './list-deliveries.ts';
import { type Cursors, type ListPage, openCursor, sealNext } from './paging.ts';

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
    return sealNext(cursors, scope, mergeNewestFirst(pages, limit));
  };
}

/** All endpoints have the events of the same Run. */
function readOnce(read: ReadRunEventIds): ReadRunEventIds {
  let ids: ReturnType<ReadRunEventIds> | null = null;
  return (customerId, runId) => {
    ids ??= read(customerId, runId);
    return ids;
  };
}
