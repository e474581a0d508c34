import { readApiKeys, readCustomer, readListedCustomer } from '#shared/aws/table/credentials/customers.ts';
import {
  type Count,
  countDeletedEndpoints,
  countDeliveries,
  countRuns,
} from '#shared/aws/table/credentials/deletion-counts.ts';
import { listLiveEndpoints } from '#shared/aws/table/endpoints/endpoints.ts';
import type { StoredApiKey } from '#shared/domain/api-key.ts';
import type { Customer } from '#shared/domain/customer.ts';
import type { Endpoint } from '#shared/domain/endpoint.ts';
import type { Needs } from '#shared/operations/needs.ts';

/** What a customer has, as far as lists show it without reading the whole table. */
export type DeletionPlan = {
  readonly customer: Customer;
  /** An earlier deletion of this customer did not complete. */
  readonly isResumed: boolean;
  readonly keys: readonly StoredApiKey[];
  readonly endpoints: readonly Endpoint[];
  readonly deletedEndpoints: Count;
  readonly deliveries: Count;
  readonly runs: Count;
  readonly table: { readonly bytes: number; readonly rows: number };
};

type Deps = Pick<Needs, 'table'> & { readonly tableSize: () => Promise<DeletionPlan['table']> };

/** Reads at most one page of each list, whatever a customer has. @returns `null` when the customer does not exist */
export function planDeletion({ table, tableSize }: Deps) {
  return async (customerId: string): Promise<DeletionPlan | null> => {
    const customer = await readListedCustomer(table, customerId);
    if (customer === null) return null;
    const [open, keys, endpoints, deletedEndpoints, runs, size] = await Promise.all([
      readCustomer(table, customerId),
      readApiKeys(table, customerId),
      listLiveEndpoints(table, customerId),
      countDeletedEndpoints(table, customerId),
      countRuns(table, customerId),
      tableSize(),
    ]);
    const counts = await Promise.all(endpoints.map((endpoint) => countDeliveries(table, endpoint)));
    const deliveries = {
      rows: counts.reduce((sum, { rows }) => sum + rows, 0),
      isExact: counts.every(({ isExact }) => isExact) && deletedEndpoints.rows === 0,
    };
    return {
      customer,
      isResumed: open === null,
      keys,
      endpoints,
      deletedEndpoints,
      deliveries,
      runs,
      table: size,
    };
  };
}
