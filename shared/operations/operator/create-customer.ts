import type { Customer } from '#shared/domain/customer.ts';
import { makeId } from '#shared/domain/ids.ts';
import type { Clock, RandomBytes } from '#shared/operations/ports.ts';
import type { FindReference, ReadCustomer } from './list-credentials.ts';

/** @returns `false` when another customer has its reference */
export type StoreCustomer = (customer: Customer) => Promise<boolean>;

/**
 * Changes a customer wherever it is stored, as long as it is as it was read.
 *
 * @param changes at least one. An empty public name is none
 * @returns `false` when it is not, or another customer has the new reference
 */
export type UpdateCustomer = (
  customer: Customer,
  changes: {
    readonly [Name in 'name' | 'publicName' | 'reference' | 'metadata']?: Customer[Name] | undefined;
  },
) => Promise<boolean>;

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
    const customer = newCustomer(deps, { name, publicName });
    await deps.storeCustomer(customer);
    return customer;
  };
}

type Once = Deps & { readonly findReference: FindReference; readonly readCustomer: ReadCustomer };

type Given = Omit<Customer, 'id' | 'createdAt'>;

/**
 * Creates a customer, unless there is one with the same reference: then it is found, and stays as it is.
 *
 * @returns `null` while the customer with this reference is being deleted
 */
export function createCustomerOnce(deps: Once) {
  return async (given: Given): Promise<{ readonly customer: Customer; readonly isNew: boolean } | null> => {
    const made = newCustomer(deps, given);
    if (await deps.storeCustomer(made)) return { customer: made, isNew: true };
    const id = await deps.findReference(given.reference ?? '');
    const customer = id === null ? null : await deps.readCustomer(id);
    // The client retries a write whose response was lost.
    return customer && { customer, isNew: customer.id === made.id };
  };
}

function newCustomer({ now, randomBytes }: Deps, given: Given): Customer {
  const createdAt = now();
  return { ...given, id: makeId('customer', createdAt, randomBytes(10)), createdAt };
}
