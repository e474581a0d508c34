import type { Table } from '#shared/aws/clients.ts';
import { findReference, readCustomer, readCustomerPage } from '#shared/aws/table/credentials/customers.ts';
import type { Customer } from '#shared/domain/customer.ts';
import type { PageRequest, Rows } from '#shared/operations/paging.ts';

/**
 * The credentials of a customer, revoked ones included.
 *
 * @param read reads the credentials of one kind
 * @returns `null` when the customer does not exist
 */
export async function listCredentials<Credential>(
  table: Table,
  customerId: string,
  read: (table: Table, customerId: string) => Promise<readonly Credential[]>,
): Promise<readonly Credential[] | null> {
  return (await readCustomer(table, customerId)) === null ? null : read(table, customerId);
}

/** A page of the customers, newest first, or the one with a reference. */
export async function listCustomers(table: Table, page: PageRequest, reference?: string): Promise<Rows<Customer>> {
  if (reference === undefined) return await readCustomerPage(table, page);
  const id = await findReference(table, reference);
  const customer = id === null ? null : await readCustomer(table, id);
  return { rows: customer === null ? [] : [customer], next: null };
}
