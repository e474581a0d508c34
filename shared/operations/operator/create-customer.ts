import type { Customer } from '#shared/domain/customer.ts';
import { makeId } from '#shared/domain/ids.ts';
import type { Clock, RandomBytes } from '#shared/operations/ports.ts';

export type StoreCustomer = (customer: Customer) => Promise<void>;

type Deps = {
  readonly now: Clock;
  readonly randomBytes: RandomBytes;
  readonly storeCustomer: StoreCustomer;
};

/** Creates a customer. `name` is the operator's name for it, which no customer sees. */
export function createCustomer(deps: Deps) {
  return async (name: string): Promise<Customer> => {
    const createdAt = deps.now();
    const customer = { id: makeId('customer', createdAt, deps.randomBytes(10)), name, createdAt };
    await deps.storeCustomer(customer);
    return customer;
  };
}
