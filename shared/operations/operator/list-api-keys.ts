import type { StoredApiKey } from '#shared/domain/api-key.ts';
import type { Customer } from '#shared/domain/customer.ts';

export type ReadCustomer = (id: string) => Promise<Customer | null>;

/** Every key of a customer, newest first. */
export type ReadApiKeys = (customerId: string) => Promise<readonly StoredApiKey[]>;

type Deps = { readonly readCustomer: ReadCustomer; readonly readApiKeys: ReadApiKeys };

/** Every key of a customer, revoked ones included. @returns `null` when the customer does not exist */
export function listApiKeys(deps: Deps) {
  return async (customerId: string): Promise<readonly StoredApiKey[] | null> =>
    (await deps.readCustomer(customerId)) === null ? null : deps.readApiKeys(customerId);
}
