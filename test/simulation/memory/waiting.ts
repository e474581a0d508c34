import type { Delivery } from '../../../shared/domain/delivery.ts';
import type { Overdue } from '../../../shared/operations/sweep-waiting.ts';
import type { Io } from '../world/io.ts';
import type { MemoryTable } from './memory-table.ts';

/** @param shards over how many the index is spread */
export function listOverdue(table: MemoryTable, io: Io, shards: number) {
  return (shard: number, before: number, limit: number, after: Overdue | null): Promise<readonly Overdue[]> =>
    io({ service: 'table', name: `list overdue of shard ${shard}` }, (staleness) =>
      table
        .waitingBefore(before, staleness)
        .filter(({ delivery }) => shardOf(delivery.id, shards) === shard)
        .filter(({ delivery, wakeAt }) => after === null || isAfter(delivery.id, wakeAt, after))
        .slice(0, limit)
        .map(({ delivery: { customerId, webhookId, id }, wakeAt }) => ({
          customerId,
          webhookId,
          id,
          wakeAt,
        })),
    );
}

/** As the index sorts. */
function isAfter(id: string, wakeAt: number, other: Overdue): boolean {
  return wakeAt > other.wakeAt || (wakeAt === other.wakeAt && id > other.id);
}

export function postponeWake(table: MemoryTable, io: Io) {
  return (overdue: Overdue, until: number): Promise<Delivery | null> =>
    io({ service: 'table', name: 'postpone' }, () => {
      const row = table.delivery(overdue);
      if (row?.delivery.status !== 'pending') return null;
      // As the adapter does: a repeated write finds its own effect.
      if (row.wakeAt === until) return row.delivery;
      if (row.wakeAt !== overdue.wakeAt) return null;
      table.putDelivery(row.delivery, until);
      return row.delivery;
    });
}

export function shardOf(id: string, shards: number): number {
  return id.charCodeAt(id.length - 1) % shards;
}
