import { DynamoDBDocumentClient, paginateScan } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { updateIf } from '#shared/aws/table/conditional-write.ts';
import { fromDeliveryItem } from '#shared/aws/table/deliveries/delivery-item.ts';
import { deliveryKey, waitingAttributes } from '#shared/aws/table/keys.ts';
import { tableSchema } from '#shared/contract/table-schema.ts';
import type { Delivery } from '#shared/domain/delivery.ts';
import type { StackFile } from '../../tools/local/stack/stack-file.ts';
import { stackDynamodb, stackTable } from '../support/stack/stack-table.ts';

/** A stored delivery, and its place in the waiting index. */
export type StoredDelivery = {
  readonly delivery: Delivery;
  /** `null` when it is not in the waiting index. */
  readonly waiting: string | null;
};

const { sortKey } = tableSchema.indexes.waiting;
const longAgo = 60 * 60_000;
const waitingItem = z.object({ [sortKey]: z.string().optional() });

/** Reads every delivery from the table, including those that the API does not show. */
export async function readDeliveries(stack: StackFile): Promise<readonly StoredDelivery[]> {
  const bare = stackDynamodb(stack);
  const client = DynamoDBDocumentClient.from(bare);
  const input = {
    TableName: stack.table_name,
    ConsistentRead: true,
    FilterExpression: 'begins_with(pk, :deliveries)',
    ExpressionAttributeValues: { ':deliveries': 'DLV#' },
  };
  const found: StoredDelivery[] = [];
  for await (const { Items = [] } of paginateScan({ client }, input)) found.push(...Items.map(toStored));
  bare.destroy();
  return found;
}

/**
 * Moves the due time of a waiting delivery back by more than an hour, as if that time had passed. Nothing else changes.
 */
export async function letTimePass(stack: StackFile, { delivery, waiting }: StoredDelivery): Promise<void> {
  const table = stackTable(stack);
  const moved = updateIf(table, {
    Key: deliveryKey(delivery),
    UpdateExpression: `SET ${sortKey} = :longAgo`,
    ConditionExpression: `${sortKey} = :seen`,
    ExpressionAttributeValues: {
      ':seen': waiting,
      ':longAgo': waitingAttributes(delivery, Date.now() - longAgo)[sortKey],
    },
  });
  // When another process has just moved it, which has the same effect, the condition fails.
  await moved.finally(() => table.client.close());
}

function toStored(item: unknown): StoredDelivery {
  return { delivery: fromDeliveryItem(item), waiting: waitingItem.parse(item)[sortKey] ?? null };
}
