import type { Customer } from '#shared/domain/customer.ts';
import type { PageRequest, Rows } from '#shared/operations/paging.ts';

export type ReadCustomer = (id: string) => Promise<Customer | null>;

/** The id of the customer that has a reference. */
export type FindReference = (reference: string) => Promise<string | null>;

type Deps<Credential> = {
  readonly readCustomer: ReadCustomer;
  readonly readCredentials: (customerId: string) => Promise<readonly Credential[]>;
};

/** The credentials of a customer, revoked ones included. @returns `null` when the customer does not exist */
export function listCredentials<Credential>(deps: Deps<Credential>) {
  return async (customerId: string): Promise<readonly Credential[] | null> =>
    (await deps.readCustomer(customerId)) === null ? null : deps.readCredentials(customerId);
}

type ListDeps = {
  readonly readCustomer: ReadCustomer;
  readonly findReference: FindReference;
  readonly readCustomerPage: (page: PageRequest) => Promise<Rows<Customer>>;
};

/** A page of the customers, newest first, or the one with a reference. */
export function listCustomers({ readCustomer, findReference, readCustomerPage }: ListDeps) {
  return async (page: PageRequest, reference?: string): Promise<Rows<Customer>> => {
    if (reference === undefined) return await readCustomerPage(page);
    const id = await findReference(reference);
    const customer = id === null ? null : await readCustomer(id);
    return { rows: customer === null ? [] : [customer], next: null };
  };
}
