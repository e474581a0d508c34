import * as z from 'zod';
import type { AskTable } from './io.ts';
import type { MemoryTable } from './memory-table.ts';
import type { TableNeeds } from './needs.ts';

const placeSchema = z.object({ id: z.string(), dueAt: z.number() });
type Place = z.infer<typeof placeSchema>;

/** @param shards number of shards of the index */
export function waitingPorts(table: MemoryTable, ask: AskTable, shards: number) {
  return {
    listOverdue: (shard, before, limit, after) =>
      ask(`list overdue of shard ${shard}`, (staleness) => {
        const place = after === null ? null : placeSchema.parse(JSON.parse(after));
        const overdue = table
          .waitingBefore(before, staleness)
          .map(({ delivery: { customerId, webhookId, id }, dueAt }) => ({ customerId, webhookId, id, dueAt }))
          .filter(({ id }) => shardOf(id, shards) === shard)
          .filter((each) => place === null || isAfter(each, place))
          .slice(0, limit);
        return { overdue, next: overdue.length < limit ? null : JSON.stringify(overdue.at(-1)) };
      }),

    deferDue: (overdue, until) =>
      ask('postpone', () => {
        const row = table.delivery(overdue);
        if (row?.delivery.status !== 'pending') return null;
        // Like the adapter: a repeated write finds its own effect.
        if (row.dueAt === until) return row.delivery;
        if (row.dueAt !== overdue.dueAt) return null;
        table.putDelivery(row.delivery, until);
        return row.delivery;
      }),
  } satisfies Partial<TableNeeds>;
}

/** In the order of the index. */
function isAfter(one: Place, other: Place): boolean {
  return one.dueAt > other.dueAt || (one.dueAt === other.dueAt && one.id > other.id);
}

function shardOf(id: string, shards: number): number {
  return id.charCodeAt(id.length - 1) % shards;
}
