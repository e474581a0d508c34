import type { ListDeliveriesQuery, Page } from '#shared/contract/list-query.ts';
import { problem } from '#shared/contract/problem.ts';
import { type DeliveryRecord, presentDelivery } from '#shared/contract/records/delivery.ts';
import type { Delivery } from '#shared/domain/delivery.ts';
import { type Cursors, type Rows, readPage } from './paging.ts';

/** Where the deliveries of an endpoint are. */
export type DeliveryHistory = {
  readonly customerId: string;
  readonly id: string;
  readonly deliveryPartitions: number;
};

/** Reads deliveries of an endpoint newest first, over all partitions they are spread over. */
export type ReadDeliveries = (
  endpoint: DeliveryHistory,
  page: {
    readonly after: string | null;
    readonly limit: number;
    /** `null`: every delivery. A page with a filter may be short or empty and still not be the last. */
    readonly matches: ((delivery: Delivery) => boolean) | null;
  },
) => Promise<Rows<Delivery>>;

type Deps = {
  /** Of an endpoint, deleted or not; strongly consistent. */
  readonly readEndpoint: (customerId: string, webhookId: string) => Promise<DeliveryHistory | null>;
  readonly readDeliveries: ReadDeliveries;
  readonly cursors: Cursors;
};

/** The deliveries of an endpoint, deleted or not, newest first. */
export function listDeliveries(deps: Deps) {
  return async (
    customerId: string,
    webhookId: string,
    query: ListDeliveriesQuery,
  ): Promise<Page<DeliveryRecord>> => {
    const endpoint = await deps.readEndpoint(customerId, webhookId);
    if (endpoint === null) throw problem('not_found');
    const { status, event_type } = query;
    const scope = ['deliveries', customerId, webhookId, status ?? '', event_type ?? ''];
    const matches = filterOf(status, event_type);
    return readPage(
      deps.cursors,
      scope,
      query,
      (page) => deps.readDeliveries(endpoint, { ...page, matches }),
      presentDelivery,
    );
  };
}

function filterOf(status: string | undefined, eventType: string | undefined) {
  if (status === undefined && eventType === undefined) return null;
  return (delivery: Delivery): boolean =>
    (status === undefined || delivery.status === status) &&
    (eventType === undefined || delivery.event.type === eventType);
}
