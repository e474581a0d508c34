import { QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { tableSchema } from '../../contract/table-schema.ts';
import type { Delivery } from '../../domain/delivery.ts';
import type { Overdue } from '../../operations/sweep-waiting.ts';
import type { Table } from '../clients.ts';
import { isRefused, orRefused } from './conditional-write.ts';
import { fromDeliveryItem } from './delivery-item.ts';
import { deliveryKey, waitingAttributes, waitingPartition, waitingTime } from './keys.ts';

const { waiting } = tableSchema.indexes;

const waitingSortKey = z.object({ [waiting.sortKey]: z.string() });
const waitingRow = z.object({ pk: z.string(), sk: z.string(), [waiting.sortKey]: z.string() });

/** Deliveries of one shard whose wake-up was due before a time, oldest first; after one of them when it is given. */
export function listOverdue(table: Table) {
  return async (
    shard: number,
    before: number,
    limit: number,
    after: Overdue | null,
  ): Promise<readonly Overdue[]> => {
    const { Items = [] } = await table.client.send(
      new QueryCommand({
        TableName: table.name,
        IndexName: waiting.name,
        KeyConditionExpression: `${waiting.partitionKey} = :shard AND ${waiting.sortKey} < :before`,
        ExpressionAttributeValues: { ':shard': waitingPartition(shard), ':before': waitingTime(before) },
        Limit: limit,
        ...(after === null
          ? {}
          : { ExclusiveStartKey: { ...deliveryKey(after), ...waitingAttributes(after, after.wakeAt) } }),
      }),
    );
    return Items.map(toOverdue);
  };
}

/** Moves a wake-up on, unless the delivery ended or somebody else moved it since it was listed. */
export function postponeWake(table: Table) {
  return async (overdue: Overdue, until: number): Promise<Delivery | null> => {
    const seen = waitingAttributes(overdue, overdue.wakeAt);
    const next = waitingAttributes(overdue, until);
    const result = await orRefused(
      table.client.send(
        new UpdateCommand({
          TableName: table.name,
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
        }),
      ),
    );
    if (!isRefused(result)) return fromDeliveryItem(result.Attributes);
    // The client repeats a write whose answer was lost: a wake-up that is where we want it was moved by us.
    const moved = waitingSortKey.safeParse(result.item).data?.[waiting.sortKey] === next[waiting.sortKey];
    const delivery = moved ? fromDeliveryItem(result.item) : null;
    return delivery?.status === 'pending' ? delivery : null;
  };
}

function toOverdue(row: unknown): Overdue {
  const parsed = waitingRow.parse(row);
  const [, customerId = '', webhookId = ''] = parsed.pk.split('#');
  const [time = ''] = parsed[waiting.sortKey].split('#');
  return { customerId, webhookId, id: parsed.sk, wakeAt: Number(time) };
}
