import type { Table } from '#shared/aws/clients.ts';
import { listCustomerIds, listEndpointsSince } from '#shared/aws/table/deliveries/audit-reads.ts';
import { readDeliveryHistory } from '#shared/aws/table/endpoints/endpoints.ts';
import { chunks } from '#shared/domain/chunks.ts';
import type { DeliveryHistory } from '#shared/domain/endpoint.ts';
import { idTime, isOwnId } from '#shared/domain/ids.ts';

/** Where to search; `undefined` for everywhere. */
export type Place = { readonly customerId?: string | undefined; readonly webhookId?: string | undefined };

/** Number of customers that are searched at once. */
const customersAtOnce = 20;

/** Milliseconds by which the clocks that made two ids may differ: an operator's machine makes the ids of customers. */
const clockTolerance = 24 * 60 * 60_000;

/**
 * Groups of customers that existed at a time; their groups are searched one after the other.
 *
 * @param at epoch milliseconds; `null` for all customers
 */
export async function* customersToSearch(
  table: Table,
  { customerId }: Place,
  at: number | null,
): AsyncGenerator<readonly string[], void> {
  if (customerId !== undefined) {
    yield [customerId];
    return;
  }
  for await (const ids of listCustomerIds(table)) {
    yield* chunks(
      ids.filter((id) => at === null || !isOwnId('customer', id) || idTime(id) <= at + clockTolerance),
      customersAtOnce,
    );
  }
}

/**
 * The endpoints of a customer that can have deliveries of a time or later: all live ones, and those deleted since then.
 *
 * @param since epoch milliseconds; `null` for all endpoints
 */
export async function endpointsToSearch(
  table: Table,
  customerId: string,
  { webhookId }: Place,
  since: number | null,
): Promise<readonly DeliveryHistory[]> {
  if (webhookId === undefined) return listEndpointsSince(table, customerId, Math.max(0, (since ?? 0) - clockTolerance));
  const endpoint = await readDeliveryHistory(table, customerId, webhookId);
  return endpoint === null ? [] : [endpoint];
}

/**
 * Finds the customer of an endpoint, live or deleted. Without the customer in `place`, reads one to three items of each
 * customer that existed when the endpoint was registered.
 */
export async function findEndpoint(
  table: Table,
  webhookId: string,
  place: Place = {},
): Promise<DeliveryHistory | null> {
  const at = isOwnId('webhook', webhookId) ? idTime(webhookId) : null;
  for await (const customers of customersToSearch(table, place, at)) {
    const read = await Promise.all(customers.map((id) => readDeliveryHistory(table, id, webhookId)));
    const found = read.find((endpoint) => endpoint !== null);
    if (found !== undefined) return found;
  }
  return null;
}
