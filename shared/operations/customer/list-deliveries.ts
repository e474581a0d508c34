import type { Table } from '#shared/aws/clients.ts';
import { readDeliveries } from '#shared/aws/table/deliveries/delivery-pages.ts';
import type { DeliveryPage } from '#shared/aws/table/deliveries/delivery-range.ts';
import { readEventDeliveries } from '#shared/aws/table/deliveries/event-deliveries.ts';
import { readRunEventIds } from '#shared/aws/table/deliveries/fan-outs.ts';
import { listLiveEndpoints, readDeliveryHistory } from '#shared/aws/table/endpoints/endpoints.ts';
import type { ListDeliveriesQuery } from '#shared/contract/list-query.ts';
import { type Delivery, hasStatus } from '#shared/domain/delivery.ts';
import type { DeliveryHistory } from '#shared/domain/endpoint.ts';
import { mergeNewestFirst } from '#shared/domain/merge-parts.ts';
import { responseClassOf } from '#shared/domain/response-class.ts';
import { found } from '#shared/operations/found.ts';
import type { Needs } from '#shared/operations/needs.ts';
import { type ListPage, type PageRequest, type Rows, readPage } from '#shared/operations/paging.ts';

type Deps = Pick<Needs, 'table' | 'cursors'>;

/** The deliveries of an endpoint, deleted or not, newest first. */
export function listDeliveries({ cursors, table }: Deps) {
  return async (
    customerId: string,
    webhookId: string,
    { limit, cursor, ...criteria }: ListDeliveriesQuery,
  ): Promise<ListPage<Delivery>> => {
    const endpoint = found(await readDeliveryHistory(table, customerId, webhookId));
    const scope = ['deliveries', customerId, webhookId, ...filterScope(criteria)];
    return readPage(cursors, scope, { limit, cursor }, (page) => findDeliveries(table, endpoint, criteria, page));
  };
}

/** What the deliveries of a list have in common. Times are epoch milliseconds. */
export type DeliveryCriteria = Omit<ListDeliveriesQuery, 'limit' | 'cursor'>;

/** Reads one page of the deliveries of an endpoint that meet all criteria, newest first. */
export async function findDeliveries(
  table: Table,
  endpoint: DeliveryHistory,
  criteria: DeliveryCriteria,
  position: PageRequest,
): Promise<Rows<Delivery>> {
  const eventIds = await readEventIds(table, endpoint.customerId, criteria);
  return findOfEvents(table, endpoint, criteria, eventIds, position);
}

/** The ids of the events that the criteria name, and possibly those of other Runs; `null` for all events. */
async function readEventIds(table: Table, customerId: string, criteria: DeliveryCriteria) {
  const { event_id: eventId, run_id: runId } = criteria;
  if (eventId !== undefined) return [eventId];
  return runId === undefined ? null : readRunEventIds(table, customerId, runId);
}

function findOfEvents(
  table: Table,
  endpoint: DeliveryHistory,
  criteria: DeliveryCriteria,
  eventIds: readonly string[] | null,
  position: PageRequest & Pick<DeliveryPage, 'share'>,
): Promise<Rows<Delivery>> {
  const { created_after: createdAfter, created_before: createdBefore } = criteria;
  const page = { ...position, matches: filterOf(criteria), createdAfter, createdBefore };
  return eventIds === null
    ? readDeliveries(table, endpoint, page)
    : readEventDeliveries(table, endpoint, eventIds, page);
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

function filterOf(criteria: DeliveryCriteria): DeliveryPage['matches'] {
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
export function listAllDeliveries({ cursors, table }: Deps) {
  return async (
    customerId: string,
    { limit, cursor, ...criteria }: ListDeliveriesQuery,
  ): Promise<ListPage<Delivery>> => {
    const scope = ['all-deliveries', customerId, JSON.stringify(criteria)];
    return readPage(cursors, scope, { limit, cursor }, async (page) => {
      const endpoints = await listLiveEndpoints(table, customerId);
      // All endpoints have the events of the same Run.
      const eventIds = endpoints.length === 0 ? null : await readEventIds(table, customerId, criteria);
      const partitions = endpoints.reduce((sum, { deliveryPartitions }) => sum + deliveryPartitions, 0);
      const pages = await Promise.all(
        endpoints.map((endpoint) =>
          findOfEvents(table, endpoint, criteria, eventIds, {
            ...page,
            share: endpoint.deliveryPartitions / partitions,
          }),
        ),
      );
      return mergeNewestFirst(pages, limit);
    });
  };
}
