import * as z from 'zod';
import type { Delivery } from '#shared/domain/delivery.ts';
import type { ListOverdue, Overdue } from '#shared/operations/delivery/sweep-waiting.ts';
import type { Io } from './io.ts';
import type { MemoryTable } from './memory-table.ts';

const placeSchema = z.object({ id: z.string(), wakeAt: z.number() });

/** @param shards over how many the index is spread */
export function listOverdue(table: MemoryTable, io: Io, shards: number): ListOverdue {
  return (shard, before, limit, after) =>
    io({ service: 'table', name: `list overdue of shard ${shard}` }, (staleness) => {
      const place = after === null ? null : placeSchema.parse(JSON.parse(after));
      const found = table
        .waitingBefore(before, staleness)
        .filter(({ delivery }) => shardOf(delivery.id, shards) === shard)
        .filter(({ delivery, wakeAt }) => place === null || isAfter(delivery.id, wakeAt, place));
      const overdue = found.slice(0, limit).map(({ delivery: { customerId, webhookId, id }, wakeAt }) => ({
        customerId,
        webhookId,
        id,
        wakeAt,
      }));
      return { overdue, next: found.length < limit ? null : JSON.stringify(overdue.at(-1)) };
    });
}

/** As the index sorts. */
function isAfter(id: string, wakeAt: number, other: Pick<Overdue, 'id' | 'wakeAt'>): boolean {
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

function shardOf(id: string, shards: number): number {
  return id.charCodeAt(id.length - 1) % shards;
}
