import type { Table } from '#shared/aws/clients.ts';
import { listCustomerIds } from '#shared/aws/table/audit-reads.ts';
import { readCustomer } from '#shared/aws/table/customers.ts';
import { listLiveEndpoints, readEndpoint } from '#shared/aws/table/endpoints.ts';
import { chunks } from '#shared/domain/chunks.ts';
import type { Endpoint } from '#shared/domain/endpoint.ts';
import { nextCommand, type TargetOptions } from './target.ts';
import { UsageError } from './usage-error.ts';

export type EndpointOptions = { readonly customer?: string; readonly endpoint?: string };

/** Customers that are asked for an endpoint at the same time. */
const sideBySide = 25;

/**
 * The endpoint that the options name, deleted or not, or all live endpoints of the customer.
 *
 * @throws UsageError when the options name neither
 * @throws Error when there is no such customer or endpoint
 */
export async function findEndpoints(
  table: Table,
  options: EndpointOptions & TargetOptions,
): Promise<readonly Endpoint[]> {
  const { customer, endpoint } = options;
  if (endpoint !== undefined) return [await findEndpoint(table, endpoint, options)];
  if (customer === undefined) throw new UsageError('Give --customer <id>, --endpoint <id> or both');
  if ((await readCustomer(table)(customer)) !== null) return await listLiveEndpoints(table)(customer);
  const list = nextCommand(options, 'customers list');
  throw new Error(`Customer ${customer} not found. List customers with: ${list}`);
}

async function findEndpoint(
  table: Table,
  id: string,
  options: EndpointOptions & TargetOptions,
): Promise<Endpoint> {
  const { customer } = options;
  const found =
    customer === undefined ? await searchEndpoint(table, id) : await readEndpoint(table)(customer, id);
  if (found !== null) return found;
  const of = customer === undefined ? '' : ` of customer ${customer}`;
  throw new Error(`Endpoint ${id}${of} not found. Check the id, which begins with whe_`);
}

async function searchEndpoint(table: Table, id: string): Promise<Endpoint | null> {
  for await (const customerIds of listCustomerIds(table)()) {
    for (const some of chunks(customerIds, sideBySide)) {
      const found = await Promise.all(some.map((customerId) => readEndpoint(table)(customerId, id)));
      const endpoint = found.find((each) => each !== null);
      if (endpoint !== undefined) return endpoint;
    }
  }
  return null;
}
