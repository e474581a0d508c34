import type { Customer } from '#shared/domain/customer.ts';
import { makeId } from '#shared/domain/ids.ts';
import type { Clock, RandomBytes } from '#shared/operations/ports.ts';

export type StoreCustomer = (customer: Customer) => Promise<void>;

/** What changes, at least one. An empty public name is none. */
type NewNames = { readonly name?: string | undefined; readonly publicName?: string | undefined };

/** Renames a customer wherever its names are stored. @returns `false` when the customer does not exist */
export type RenameCustomer = (id: string, names: NewNames) => Promise<boolean>;

type Deps = {
  readonly now: Clock;
  readonly randomBytes: RandomBytes;
  readonly storeCustomer: StoreCustomer;
};

/**
 * Creates a customer.
 *
 * @param name the operator's name for it, which no customer sees
 * @param publicName the name that the customer sees, if it has one
 */
export function createCustomer(deps: Deps) {
  return async (name: string, publicName?: string): Promise<Customer> => {
    const createdAt = deps.now();
    const id = makeId('customer', createdAt, deps.randomBytes(10));
    const customer = { id, name, publicName, createdAt };
    await deps.storeCustomer(customer);
    return customer;
  };
}
