import { customerMemory } from '#shared/domain/customer.ts';
import { isRecent, type Moment } from '#shared/domain/moment.ts';
import type { ReadCustomer } from '#shared/operations/operator/list-api-keys.ts';
import type { Clock, IsCustomerKnown } from '#shared/operations/ports.ts';
import type { Io } from './io.ts';
import type { MemoryTable } from './memory-table.ts';

/** When a warm function read that a customer exists. */
export type CustomerCache = Map<string, Moment>;

export function isCustomerKnown(
  table: MemoryTable,
  io: Io,
  cache: CustomerCache,
  clocks: { readonly now: Clock; readonly monotonic: Clock },
): IsCustomerKnown {
  return async (customerId) => {
    const at = { now: clocks.now(), monotonic: clocks.monotonic() };
    const readAt = cache.get(customerId);
    if (readAt !== undefined && isRecent(readAt, at, customerMemory)) return true;
    const isThere = await io({ service: 'table', name: 'find customer' }, () =>
      table.hasCustomer(customerId),
    );
    if (isThere) cache.set(customerId, at);
    return isThere;
  };
}

/** Of a customer, operations need only to know that it exists. */
export function readCustomer(table: MemoryTable, io: Io): ReadCustomer {
  return (id) =>
    io({ service: 'table', name: 'read customer' }, () =>
      table.hasCustomer(id) ? { id, name: id, createdAt: 0 } : null,
    );
}
