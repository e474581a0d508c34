import type { Customer } from '#shared/domain/customer.ts';

export type ReadCustomer = (id: string) => Promise<Customer | null>;

type Deps<Credential> = {
  readonly readCustomer: ReadCustomer;
  readonly readCredentials: (customerId: string) => Promise<readonly Credential[]>;
};

/** The credentials of a customer, revoked ones included. @returns `null` when the customer does not exist */
export function listCredentials<Credential>(deps: Deps<Credential>) {
  return async (customerId: string): Promise<readonly Credential[] | null> =>
    (await deps.readCustomer(customerId)) === null ? null : deps.readCredentials(customerId);
}
