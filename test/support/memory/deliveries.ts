import { deliveryPartition } from '#shared/domain/derived-id.ts';
import type { ReadAttemptTimes, ReadDelivery, StoreDelivery } from '#shared/operations/ports.ts';
import type { Io } from './io.ts';
import type { MemoryTable } from './memory-table.ts';

export function readDelivery(table: MemoryTable, io: Io): ReadDelivery {
  return (key) =>
    io({ service: 'table', name: 'read delivery' }, () => table.delivery(key)?.delivery ?? null);
}

export function readAttemptTimes(table: MemoryTable, io: Io): ReadAttemptTimes {
  return ({ customerId, id: webhookId }, partition, before, limit) =>
    io({ service: 'table', name: 'read attempt times' }, () =>
      [...table.deliveries]
        .map(({ delivery }) => delivery)
        .filter((delivery) => delivery.customerId === customerId && delivery.webhookId === webhookId)
        .filter(({ id }) => deliveryPartition(id) === partition && (before === null || id < before))
        .sort((one, other) => (one.id < other.id ? 1 : -1))
        .slice(0, limit)
        .map(({ id, lastAttemptAt }) => ({ id, lastAttemptAt })),
    );
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
