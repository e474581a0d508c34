import type { Table } from '#shared/aws/clients.ts';
import { readCustomer } from '#shared/aws/table/credentials/customers.ts';
import { listLiveEndpoints, readEndpoint } from '#shared/aws/table/endpoints/endpoints.ts';
import type { Endpoint } from '#shared/domain/endpoint.ts';
import { locateEndpoint, type PlaceOptions } from '../cli/place-options.ts';
import type { TargetOptions } from '../cli/target.ts';
import { UsageError } from '../cli/usage-error.ts';
import { noCustomer } from '../customers/no-customer.ts';

/**
 * The endpoint that the options name, deleted or not, or all live endpoints of the customer.
 *
 * @throws UsageError when the options name neither
 * @throws Error when the customer or the endpoint does not exist
 */
export async function findEndpoints(
  table: Table,
  options: PlaceOptions & TargetOptions,
): Promise<readonly Endpoint[]> {
  const { customer, endpoint } = options;
  if (endpoint !== undefined) {
    const { customerId } = await locateEndpoint(table, { ...options, endpoint });
    const found = await readEndpoint(table)(customerId, endpoint);
    return found === null ? [] : [found];
  }
  if (customer === undefined) throw new UsageError('Give --customer <id>, --endpoint <id> or both');
  if ((await readCustomer(table)(customer)) === null) throw noCustomer(options, customer);
  return await listLiveEndpoints(table)(customer);
}
