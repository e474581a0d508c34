import type { ListDeliveriesQuery } from '#shared/contract/list-query.ts';
import type { Delivery } from '#shared/domain/delivery.ts';
import { found } from './found.ts';
import { type Cursors, type ListPage, openCursor, type PageRequest, type Rows, sealNext } from './paging.ts';

/** Locates the stored deliveries of an endpoint. */
export type DeliveryHistory = {
  readonly customerId: string;
  readonly id: string;
  readonly deliveryPartitions: number;
};

/** Reads the history of an endpoint, deleted or not; strongly consistent. */
export type ReadDeliveryHistory = (customerId: string, webhookId: string) => Promise<DeliveryHistory | null>;

type DeliveryFilter = (delivery: Delivery) => boolean;

/**
 * Reads deliveries of an endpoint newest first, over all of its partitions. With a filter (`matches`), a page can be
 * short or empty without being the last.
 */
export type ReadDeliveries = (
  endpoint: DeliveryHistory,
  page: PageRequest & { readonly matches: DeliveryFilter | null },
) => Promise<Rows<Delivery>>;

type Deps = {
  readonly cursors: Cursors;
  readonly readEndpoint: ReadDeliveryHistory;
  readonly readDeliveries: ReadDeliveries;
};

/** The deliveries of an endpoint, deleted or not, newest first. */
export function listDeliveries({ cursors, readEndpoint, readDeliveries }: Deps) {
  return async (
    customerId: string,
    webhookId: string,
    { limit, cursor, status, event_type: type }: ListDeliveriesQuery,
  ): Promise<ListPage<Delivery>> => {
    const endpoint = found(await readEndpoint(customerId, webhookId));
    const scope = ['deliveries', customerId, webhookId, status ?? '', type ?? ''];
    const after = await openCursor(cursors, scope, cursor);
    const rows = await readDeliveries(endpoint, { after, limit, matches: filterOf(status, type) });
    return sealNext(cursors, scope, rows);
  };
}

function filterOf(status: string | undefined, eventType: string | undefined): DeliveryFilter | null {
  if (status === undefined && eventType === undefined) return null;
  return (delivery) =>
    (status === undefined || delivery.status === status) &&
    (eventType === undefined || delivery.event.type === eventType);
}
