import type { ListDeliveriesQuery } from '#shared/contract/list-query.ts';
import type { Delivery } from '#shared/domain/delivery.ts';
import { mergeNewestFirst } from '#shared/domain/merge-parts.ts';
import { type Cursors, type ListPage, readPage } from '#shared/operations/paging.ts';
import type { ListLiveEndpoints } from '#shared/operations/ports.ts';
import {
  findDeliveries,
  type ReadDeliveries,
  type ReadEventDeliveries,
  type ReadRunEventIds,
} from './list-deliveries.ts';

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
    const find = findDeliveries({ ...reads, readRunEventIds: readOnce(reads.readRunEventIds) });
    return readPage(cursors, scope, { limit, cursor }, async (page) => {
      const endpoints = await listLiveEndpoints(customerId);
      const pages = await Promise.all(endpoints.map((endpoint) => find(endpoint, criteria, page)));
      return mergeNewestFirst(pages, limit);
    });
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
