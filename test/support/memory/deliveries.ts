import type { Delivery } from '#shared/domain/delivery.ts';
import { deliveryPartition } from '#shared/domain/derived-id.ts';
import { expiryAt, isExpired, type Retention } from '#shared/domain/retention.ts';
import type { AskTable } from './io.ts';
import type { MemoryTable } from './memory-table.ts';
import type { TableNeeds } from './needs.ts';

export function deliveryPorts(table: MemoryTable, ask: AskTable, retention: Retention) {
  return {
    storeDelivery: (delivery, dueAt) =>
      ask('store delivery', () => {
        const known = table.delivery(delivery);
        if (known !== null) return known.delivery;
        table.putDelivery(delivery, dueAt);
        return delivery;
      }),

    /** An expired row is not served, although the table has not removed it. */
    readDelivery: (key) =>
      ask('read delivery', () => {
        const delivery = table.delivery(key)?.delivery ?? null;
        return delivery === null || hasExpired(delivery, retention) ? null : delivery;
      }),

    readAttemptTimes: ({ customerId, id: webhookId }, partition, before, limit) =>
      ask('read attempt times', () =>
        table
          .deliveriesOf(customerId, webhookId)
          .map(({ delivery: { id, lastAttemptAt } }) => ({ id, lastAttemptAt }))
          .filter(({ id }) => deliveryPartition(id) === partition && (before === null || id < before))
          .reverse()
          .slice(0, limit),
      ),

    /** All of them. Eventually consistent. */
    readRecentDeliveries: ({ customerId, id }) =>
      ask('read recent deliveries', () => {
        const deliveries = table.deliveriesOf(customerId, id).map(({ delivery }) => delivery);
        return { deliveries, olderLeftOut: false, sampled: false };
      }),

    storeReplay: (replay, dueAt, only) => {
      const store = (): boolean => {
        const row = table.delivery({ ...replay, id: replay.replayOf });
        if (row === null) return false;
        const { delivery: original } = row;
        if (only !== null && (original.status !== only.status || original.replayedBy !== only.replayedBy))
          return false;
        table.putDelivery(replay, dueAt);
        table.putDelivery({ ...original, replayedBy: replay.id }, row.dueAt);
        return true;
      };
      return ask('store replay', store, { token: replay.id, done: true });
    },
  } satisfies Partial<TableNeeds>;
}

/** Whether a delivery ended longer ago than deliveries are kept, by the clock of the reader. */
export function hasExpired({ endedAt }: Delivery, retention: Retention): boolean {
  return endedAt !== null && isExpired(expiryAt(retention, endedAt), retention.now());
}
