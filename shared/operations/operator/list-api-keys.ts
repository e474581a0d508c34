import type { StoredApiKey } from '#shared/domain/api-key.ts';
import type { Customer } from '#shared/domain/customer.ts';

type Deps = {
  readonly readCustomer: (id: string) => Promise<Customer | null>;
  /** Newest first. */
  readonly readApiKeys: (customerId: string) => Promise<readonly StoredApiKey[]>;
};

/** Every key of a customer, revoked ones included. @returns `null` when there is no such customer */
export function listApiKeys(deps: Deps) {
  return async (customerId: string): Promise<readonly StoredApiKey[] | null> =>
    (await deps.readCustomer(customerId)) === null ? null : deps.readApiKeys(customerId);
}
