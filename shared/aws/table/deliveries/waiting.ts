import * as z from 'zod/mini';
import type { Table } from '#shared/aws/clients.ts';
import { tableSchema } from '#shared/contract/table-schema.ts';
import type { Delivery, DeliveryKey } from '#shared/domain/delivery.ts';
import { isRefused, updateIf } from '../conditional-write.ts';
import { deliveryKey, waitingAttributes, waitingPartition, waitingTime } from '../keys.ts';
import { readAll, reads } from '../stored-row.ts';
import { fromDeliveryItem } from './delivery-item.ts';

const { waiting } = tableSchema.indexes;

const waitingSortKey = z.object({ [waiting.sortKey]: z.string() });
/** The keys of an index row. The next page begins after the row with these keys. */
const indexKey = z.object({
  pk: z.string(),
  sk: z.string(),
  [waiting.partitionKey]: z.string(),
  [waiting.sortKey]: z.string(),
});

const waitingRow = z.extend(indexKey, {
  pk: z.string().check(z.regex(/^DLV#[^#]+#[^#]+#\d+$/, 'must be the partition of deliveries')),
  [waiting.sortKey]: z.string().check(z.regex(/^\d{14}#/, 'must begin with a time')),
});

/** A delivery whose next step was due at `dueAt`. */
export type Overdue = DeliveryKey & { readonly dueAt: number };

/**
 * Deliveries of one shard of the index that were due before a time, oldest first: at most `limit` of them, fewer when
 * some cannot be read. `next` is the position of the next page, `null` after the last.
 */
export async function listOverdue(
  table: Table,
  shard: number,
  before: number,
  limit: number,
  after: string | null,
): Promise<{ readonly overdue: readonly Overdue[]; readonly next: string | null }> {
  const { Items = [], LastEvaluatedKey } = await table.client.query({
    TableName: table.name,
    IndexName: waiting.name,
    KeyConditionExpression: `${waiting.partitionKey} = :shard AND ${waiting.sortKey} < :before`,
    ExpressionAttributeValues: { ':shard': waitingPartition(shard), ':before': waitingTime(before) },
    Limit: limit,
    ...(after === null ? {} : { ExclusiveStartKey: indexKey.parse(JSON.parse(after)) }),
  });
  return {
    overdue: readAll(table, Items, fromWaitingRow),
    next: LastEvaluatedKey === undefined ? null : JSON.stringify(LastEvaluatedKey),
  };
}

/**
 * Defers the due time, unless the delivery ended or its due time changed since it was listed. A delivery that cannot be
 * read is reported and skipped, because no worker could attempt it.
 *
 * @returns the delivery, or `null` when its due time stays
 */
export async function deferDue(table: Table, overdue: Overdue, until: number): Promise<Delivery | null> {
  const seen = waitingAttributes(overdue, overdue.dueAt);
  const next = waitingAttributes(overdue, until);
  const result = await updateIf(table, {
    Key: deliveryKey(overdue),
    UpdateExpression: `SET ${waiting.sortKey} = :next`,
    ConditionExpression: `#status = :pending AND ${waiting.sortKey} = :seen`,
    ExpressionAttributeNames: { '#status': 'status' },
    ExpressionAttributeValues: {
      ':pending': 'pending',
      ':seen': seen[waiting.sortKey],
      ':next': next[waiting.sortKey],
    },
    ReturnValues: 'ALL_NEW',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  });
  if (!isRefused(result)) return readAll(table, [result.Attributes], fromDeliveryItem)[0] ?? null;
  // The client retries a write whose response was lost: a due time of `until` was set by this call.
  const moved = waitingSortKey.safeParse(result.item).data?.[waiting.sortKey] === next[waiting.sortKey];
  const delivery = moved ? readAll(table, [result.item], fromDeliveryItem)[0] : null;
  return delivery?.status === 'pending' ? delivery : null;
}

const fromWaitingRow = reads('Delivery', waitingRow, (row): Overdue => {
  const [, customerId = '', webhookId = ''] = row.pk.split('#');
  const [time = ''] = row[waiting.sortKey].split('#');
  return { customerId, webhookId, id: row.sk, dueAt: Number(time) };
});
