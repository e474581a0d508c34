import type { Table } from '#shared/aws/clients.ts';
import { readDelivery } from '#shared/aws/table/deliveries/deliveries.ts';
import { readRunEventIds } from '#shared/aws/table/deliveries/fan-outs.ts';
import type { Delivery } from '#shared/domain/delivery.ts';
import type { DeliveryHistory } from '#shared/domain/endpoint.ts';
import { idTime } from '#shared/domain/ids.ts';
import { type DeliveryCriteria, findDeliveries } from '#shared/operations/customer/list-deliveries.ts';
import type { Rows } from '#shared/operations/paging.ts';
import { customersToSearch, endpointsToSearch, type Place } from './search.ts';

export type Search = {
  /** Newest first. */
  readonly deliveries: readonly Delivery[];
  /** Whether more deliveries meet the criteria. */
  readonly more: boolean;
  readonly searched: { readonly customers: number; readonly endpoints: number };
};

/**
 * Finds the newest `limit` deliveries that meet all criteria, over all endpoints of a place, deleted ones included.
 * Without a customer, each customer that existed at the time of the event is searched. For a Run, that is one read for
 * each customer that does not have it; for an event, at least three, and two more for each endpoint. The first customer
 * that has the event ends the search.
 */
export async function searchDeliveries(
  table: Table,
  place: Place,
  criteria: DeliveryCriteria,
  limit: number,
): Promise<Search> {
  const { event_id: eventId, created_after: since = null, created_before: until = null } = criteria;
  const at = eventId === undefined ? until : idTime(eventId);
  const found: Delivery[] = [];
  const searched = { customers: 0, endpoints: 0 };
  for await (const customers of customersToSearch(table, place, at)) {
    const results = await Promise.all(
      customers.map((id) => searchCustomer(table, id, place, criteria, latestOf(since, eventId), limit)),
    );
    searched.customers += customers.length;
    searched.endpoints += results.reduce((sum, { endpoints }) => sum + endpoints, 0);
    found.push(...results.flatMap(({ deliveries }) => deliveries));
    if (eventId !== undefined && found.length > 0) break;
  }
  found.sort((left, right) => (left.id < right.id ? 1 : -1));
  return { deliveries: found.slice(0, limit), more: found.length > limit, searched };
}

/** No delivery that is asked for is older: an event is older than its deliveries. */
function latestOf(since: number | null, eventId: string | undefined): number | null {
  if (eventId === undefined) return since;
  return Math.max(since ?? 0, idTime(eventId));
}

async function searchCustomer(
  table: Table,
  customerId: string,
  place: Place,
  criteria: DeliveryCriteria,
  since: number | null,
  limit: number,
): Promise<{ readonly endpoints: number; readonly deliveries: readonly Delivery[] }> {
  const { run_id: runId } = criteria;
  const isWithout = runId !== undefined && (await readRunEventIds(table, customerId, runId)).length === 0;
  if (isWithout) return { endpoints: 0, deliveries: [] };
  const endpoints = await endpointsToSearch(table, customerId, place, since);
  const found = await Promise.all(endpoints.map((endpoint) => walk(table, endpoint, criteria, limit + 1)));
  return { endpoints: endpoints.length, deliveries: found.flat() };
}

/** The newest `count` deliveries of an endpoint, or all if there are fewer. */
async function walk(
  table: Table,
  endpoint: DeliveryHistory,
  criteria: DeliveryCriteria,
  count: number,
): Promise<readonly Delivery[]> {
  const found: Delivery[] = [];
  let after: string | null = null;
  do {
    const limit = count - found.length;
    const page: Rows<Delivery> = await findDeliveries(table, endpoint, criteria, { after, limit });
    found.push(...page.rows);
    after = page.next;
  } while (after !== null && found.length < count);
  return found;
}

/**
 * Finds a delivery by its id. With customer and endpoint, that is one read. Otherwise it is three reads for each customer
 * that existed at the time of the delivery, and one for each of the customer's endpoints.
 */
export async function findDelivery(table: Table, id: string, place: Place): Promise<Delivery | null> {
  const { customerId, webhookId } = place;
  if (customerId !== undefined && webhookId !== undefined) return readDelivery(table, { customerId, webhookId, id });
  for await (const customers of customersToSearch(table, place, idTime(id))) {
    const read = await Promise.all(
      customers.map(async (customer) => {
        const endpoints = await endpointsToSearch(table, customer, place, idTime(id));
        return Promise.all(
          endpoints.map((endpoint) => readDelivery(table, { customerId: customer, webhookId: endpoint.id, id })),
        );
      }),
    );
    const found = read.flat().find((delivery) => delivery !== null);
    if (found !== undefined) return found;
  }
  return null;
}
