import { findReference, readCustomer, storeCustomer } from '#shared/aws/table/credentials/customers.ts';
import type { Customer } from '#shared/domain/customer.ts';
import { makeId } from '#shared/domain/ids.ts';
import type { Needs } from '#shared/operations/needs.ts';

type Deps = Pick<Needs, 'table' | 'now' | 'randomBytes'>;

/**
 * Creates a customer.
 *
 * @param name the operator's name for it, which no customer sees
 * @param publicName the name that the customer sees, if it has one
 */
export function createCustomer(deps: Deps) {
  return async (name: string, publicName?: string): Promise<Customer> => {
    const customer = newCustomer(deps, { name, publicName });
    await storeCustomer(deps.table, customer);
    return customer;
  };
}

type Given = Omit<Customer, 'id' | 'createdAt'>;

/**
 * Creates a customer, unless there is one with the same reference: then it is found, and stays as it is.
 *
 * @returns `null` while the customer with this reference is being deleted
 */
export function createCustomerOnce(deps: Deps) {
  return async (given: Given): Promise<{ readonly customer: Customer; readonly isNew: boolean } | null> => {
    const made = newCustomer(deps, given);
    if (await storeCustomer(deps.table, made)) return { customer: made, isNew: true };
    const id = await findReference(deps.table, given.reference ?? '');
    const customer = id === null ? null : await readCustomer(deps.table, id);
    // The client retries a write whose response was lost.
    return customer && { customer, isNew: customer.id === made.id };
  };
}

function newCustomer({ now, randomBytes }: Deps, given: Given): Customer {
  const createdAt = now();
  return { ...given, id: makeId('customer', createdAt, randomBytes(10)), createdAt };
}
