import type { Table } from '#shared/aws/clients.ts';
import { listLiveEndpoints, readDeliveryHistory } from '#shared/aws/table/endpoints/endpoints.ts';
import type { ListDeliveriesQuery } from '#shared/contract/list-query.ts';
import { type Delivery, hasStatus } from '#shared/domain/delivery.ts';
import type { DeliveryHistory } from '#shared/domain/endpoint.ts';
import { mergeNewestFirst } from '#shared/domain/merge-parts.ts';
import { responseClassOf } from '#shared/domain/response-class.ts';
import { found } from '#shared/operations/found.ts';
import {
  type Cursors,
  type ListPage,
  type PageRequest,
  type Rows,
  readPage,
} from '#shared/operations/paging.ts';

type DeliveryFilter = (delivery: Delivery) => boolean;

/** A part of a list of deliveries. */
export type DeliveryPage = PageRequest & {
  readonly matches: DeliveryFilter | null;
  /** Only deliveries that were created at this time or later, epoch milliseconds. */
  readonly createdAfter?: number | undefined;
  /** Only deliveries that were created before this time, epoch milliseconds. */
  readonly createdBefore?: number | undefined;
  /** The part of what a request may read that this endpoint takes, up to 1: the rest is for others. Default: all of it. */
  readonly share?: number | undefined;
};

/**
 * Reads deliveries of an endpoint newest first, over all of its partitions. A page can be short without being the last,
 * and with a filter (`matches`) also empty. With a filter, it may miss changes of the last second.
 */
export type ReadDeliveries = (endpoint: DeliveryHistory, page: DeliveryPage) => Promise<Rows<Delivery>>;

/**
 * Reads the deliveries of events to an endpoint newest first: the first delivery of each event and its replays, without
 * the replays that releases up to 0.2.0 stored. With a filter, a page can be short or empty without being the last.
 */
export type ReadEventDeliveries = (
  endpoint: DeliveryHistory,
  eventIds: readonly string[],
  page: DeliveryPage,
) => Promise<Rows<Delivery>>;

/**
 * The ids of the events of a Run and of its Change Reports, without reports that releases up to 0.2.0 stored. May
 * include events of other Runs.
 */
export type ReadRunEventIds = (customerId: string, runId: string) => Promise<readonly string[]>;

type Deps = {
  readonly cursors: Cursors;
  readonly table: Table;
  readonly readDeliveries: ReadDeliveries;
  readonly readEventDeliveries: ReadEventDeliveries;
  readonly readRunEventIds: ReadRunEventIds;
};

/** The deliveries of an endpoint, deleted or not, newest first. */
export function listDeliveries({ cursors, table, ...reads }: Deps) {
  return async (
    customerId: string,
    webhookId: string,
    { limit, cursor, ...filter }: ListDeliveriesQuery,
  ): Promise<ListPage<Delivery>> => {
    const endpoint = found(await readDeliveryHistory(table, customerId, webhookId));
    const scope = ['deliveries', customerId, webhookId, ...filterScope(filter)];
    const find = findDeliveries(reads);
    return readPage(cursors, scope, { limit, cursor }, (page) => find(endpoint, filter, page));
  };
}

/** What the deliveries of a list have in common. Times are epoch milliseconds. */
export type DeliveryCriteria = Omit<ListDeliveriesQuery, 'limit' | 'cursor'>;

/** Reads one page of the deliveries of an endpoint that meet all criteria, newest first. */
export function findDeliveries(
  deps: Pick<Deps, 'readDeliveries' | 'readEventDeliveries' | 'readRunEventIds'>,
) {
  return async (
    endpoint: DeliveryHistory,
    criteria: DeliveryCriteria,
    position: PageRequest & Pick<DeliveryPage, 'share'>,
  ): Promise<Rows<Delivery>> => {
    const { event_id: eventId, run_id: runId, created_after, created_before } = criteria;
    const page = {
      ...position,
      matches: filterOf(criteria),
      createdAfter: created_after,
      createdBefore: created_before,
    };
    if (eventId !== undefined) return deps.readEventDeliveries(endpoint, [eventId], page);
    if (runId === undefined) return deps.readDeliveries(endpoint, page);
    const eventIds = await deps.readRunEventIds(endpoint.customerId, runId);
    return deps.readEventDeliveries(endpoint, eventIds, page);
  };
}

/** Cursors of releases up to 0.2.0 have only the first two parts, and stay valid. */
function filterScope(criteria: DeliveryCriteria): readonly string[] {
  const { event_id, run_id, created_after, created_before } = criteria;
  const added = [event_id, run_id, created_after, created_before];
  return [
    criteria.status ?? '',
    criteria.event_type ?? '',
    ...(added.every((part) => part === undefined) ? [] : added.map((part) => String(part ?? ''))),
    ...(criteria.response_status === undefined ? [] : [`response ${criteria.response_status}`]),
  ];
}

function filterOf(criteria: DeliveryCriteria): DeliveryFilter | null {
  const { status, event_type: type, run_id: runId, response_status: response } = criteria;
  if ([status, type, runId, response].every((wanted) => wanted === undefined)) return null;
  return (delivery) =>
    (status === undefined || hasStatus(delivery, status)) &&
    (type === undefined || delivery.event.type === type) &&
    (response === undefined || responseClassOf(delivery.log) === response) &&
    (runId === undefined || delivery.event.runId === runId);
}

/**
 * The deliveries of all endpoints that a customer holds, newest first. Those of deleted endpoints are left out. A page
 * reads no more than a page of one endpoint: the partitions of all share it.
 */
export function listAllDeliveries({ cursors, table, ...reads }: Deps) {
  return async (
    customerId: string,
    { limit, cursor, ...criteria }: ListDeliveriesQuery,
  ): Promise<ListPage<Delivery>> => {
    const scope = ['all-deliveries', customerId, JSON.stringify(criteria)];
    const find = findDeliveries({ ...reads, readRunEventIds: readOnce(reads.readRunEventIds) });
    return readPage(cursors, scope, { limit, cursor }, async (page) => {
      const endpoints = await listLiveEndpoints(table, customerId);
      const partitions = endpoints.reduce((sum, { deliveryPartitions }) => sum + deliveryPartitions, 0);
      const pages = await Promise.all(
        endpoints.map((endpoint) =>
          find(endpoint, criteria, { ...page, share: endpoint.deliveryPartitions / partitions }),
        ),
      );
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
