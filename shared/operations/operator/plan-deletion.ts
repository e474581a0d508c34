import type { StoredApiKey } from '#shared/domain/api-key.ts';
import type { Customer } from '#shared/domain/customer.ts';
import type { Endpoint } from '#shared/domain/endpoint.ts';

/** A number of rows; `isExact` is false when more rows follow. */
export type Count = { readonly rows: number; readonly isExact: boolean };

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

type Deps = {
  /** The customer as listed; a deletion removes this row last. */
  readonly readListedCustomer: (customerId: string) => Promise<Customer | null>;
  readonly isCustomerOpen: (customerId: string) => Promise<boolean>;
  readonly readApiKeys: (customerId: string) => Promise<readonly StoredApiKey[]>;
  readonly listLiveEndpoints: (customerId: string) => Promise<readonly Endpoint[]>;
  readonly countDeletedEndpoints: (customerId: string) => Promise<Count>;
  readonly countDeliveries: (endpoint: Endpoint) => Promise<Count>;
  readonly countRuns: (customerId: string) => Promise<Count>;
  readonly tableSize: () => Promise<DeletionPlan['table']>;
};

/** Reads at most one page of each list, whatever a customer has. @returns `null` when the customer does not exist */
export function planDeletion(deps: Deps) {
  return async (customerId: string): Promise<DeletionPlan | null> => {
    const customer = await deps.readListedCustomer(customerId);
    if (customer === null) return null;
    const [isOpen, keys, endpoints, deletedEndpoints, runs, table] = await Promise.all([
      deps.isCustomerOpen(customerId),
      deps.readApiKeys(customerId),
      deps.listLiveEndpoints(customerId),
      deps.countDeletedEndpoints(customerId),
      deps.countRuns(customerId),
      deps.tableSize(),
    ]);
    const counts = await Promise.all(endpoints.map(deps.countDeliveries));
    const deliveries = {
      rows: counts.reduce((sum, { rows }) => sum + rows, 0),
      isExact: counts.every(({ isExact }) => isExact) && deletedEndpoints.rows === 0,
    };
    return { customer, isResumed: !isOpen, keys, endpoints, deletedEndpoints, deliveries, runs, table };
  };
}
