import type { ReadDelivery, StoreDelivery } from '#shared/operations/ports.ts';
import type { Io } from './io.ts';
import type { MemoryTable } from './memory-table.ts';

export function readDelivery(table: MemoryTable, io: Io): ReadDelivery {
  return (key) =>
    io({ service: 'table', name: 'read delivery' }, () => table.delivery(key)?.delivery ?? null);
}

export function storeDelivery(table: MemoryTable, io: Io): StoreDelivery {
  return (delivery, dueAt) =>
    io({ service: 'table', name: 'store delivery' }, () => {
      const known = table.delivery(delivery);
      if (known !== null) return known.delivery;
      table.putDelivery(delivery, dueAt);
      return delivery;
    });
}
