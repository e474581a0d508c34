import type { IsCustomerKnown } from '#shared/operations/ports.ts';
import type { Io } from './io.ts';
import type { MemoryTable } from './memory-table.ts';

export function isCustomerKnown(table: MemoryTable, io: Io): IsCustomerKnown {
  return (customerId) => io({ service: 'table', name: 'find customer' }, () => table.hasCustomer(customerId));
}
