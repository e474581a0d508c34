import * as z from 'zod';
import type { DeferDue, ListOverdue, Overdue } from '#shared/operations/delivery/sweep-waiting.ts';
import type { Io } from './io.ts';
import type { MemoryTable } from './memory-table.ts';

const placeSchema = z.object({ id: z.string(), dueAt: z.number() });

/** @param shards number of shards of the index */
export function listOverdue(table: MemoryTable, io: Io, shards: number): ListOverdue {
  return (shard, before, limit, after) =>
    io({ service: 'table', name: `list overdue of shard ${shard}` }, (staleness) => {
      const place = after === null ? null : placeSchema.parse(JSON.parse(after));
      const found = table
        .waitingBefore(before, staleness)
        .filter(({ delivery }) => shardOf(delivery.id, shards) === shard)
        .filter(({ delivery, dueAt }) => place === null || isAfter(delivery.id, dueAt, place));
      const overdue = found.slice(0, limit).map(({ delivery: { customerId, webhookId, id }, dueAt }) => ({
        customerId,
        webhookId,
        id,
        dueAt,
      }));
      return { overdue, next: found.length < limit ? null : JSON.stringify(overdue.at(-1)) };
    });
}

/** In the order of the index. */
function isAfter(id: string, dueAt: number, other: Pick<Overdue, 'id' | 'dueAt'>): boolean {
  return dueAt > other.dueAt || (dueAt === other.dueAt && id > other.id);
}

export function deferDue(table: MemoryTable, io: Io): DeferDue {
  return (overdue, until) =>
    io({ service: 'table', name: 'postpone' }, () => {
      const row = table.delivery(overdue);
      if (row?.delivery.status !== 'pending') return null;
      // Like the adapter: a repeated write finds its own effect.
      if (row.dueAt === until) return row.delivery;
      if (row.dueAt !== overdue.dueAt) return null;
      table.putDelivery(row.delivery, until);
      return row.delivery;
    });
}

function shardOf(id: string, shards: number): number {
  return id.charCodeAt(id.length - 1) % shards;
}
