import type { Delivery } from '#shared/domain/delivery.ts';
import { deliveryPartition } from '#shared/domain/derived-id.ts';
import { expiryAt, isExpired, type Retention } from '#shared/domain/retention.ts';
import type { ReadAttemptTimes, ReadDelivery, StoreDelivery } from '#shared/operations/ports.ts';
import type { Io } from './io.ts';
import type { MemoryTable } from './memory-table.ts';

/** An expired row is not served, although the table has not removed it. */
export function readDelivery(table: MemoryTable, io: Io, retention = keeping): ReadDelivery {
  return (key) =>
    io({ service: 'table', name: 'read delivery' }, () => {
      const delivery = table.delivery(key)?.delivery ?? null;
      return delivery === null || hasExpired(delivery, retention) ? null : delivery;
    });
}

/** Without a retention, rows are kept. */
export const keeping: Retention = { now: () => 0, days: null };

/** Whether a delivery ended longer ago than deliveries are kept, by the clock of the reader. */
export function hasExpired({ endedAt }: Delivery, retention: Retention): boolean {
  return endedAt !== null && isExpired(expiryAt(retention, endedAt), retention.now());
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
