import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, paginateScan, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { fromDeliveryItem } from '#shared/aws/table/delivery-item.ts';
import { deliveryKey, waitingAttributes } from '#shared/aws/table/keys.ts';
import { tableSchema } from '#shared/contract/table-schema.ts';
import type { Delivery } from '#shared/domain/delivery.ts';
import type { StackFile } from '../../local/stack/stack-file.ts';

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
export function readDeliveries(stack: StackFile): Promise<readonly StoredDelivery[]> {
  return onTable(stack, async (client) => {
    const input = {
      TableName: stack.table_name,
      ConsistentRead: true,
      FilterExpression: 'begins_with(pk, :deliveries)',
      ExpressionAttributeValues: { ':deliveries': 'DLV#' },
    };
    const found: StoredDelivery[] = [];
    for await (const { Items = [] } of paginateScan({ client }, input)) found.push(...Items.map(toStored));
    return found;
  });
}

/**
 * Moves the due time of a waiting delivery back by more than an hour, as if that time had passed. Nothing else changes.
 */
export function letTimePass(
  stack: StackFile,
  { delivery, waiting }: StoredDelivery,
  now: number,
): Promise<void> {
  const command = new UpdateCommand({
    TableName: stack.table_name,
    Key: deliveryKey(delivery),
    UpdateExpression: `SET ${sortKey} = :longAgo`,
    ConditionExpression: `${sortKey} = :seen`,
    ExpressionAttributeValues: {
      ':seen': waiting,
      ':longAgo': waitingAttributes(delivery, now - longAgo)[sortKey],
    },
  });
  return onTable(stack, async (client) => {
    await client.send(command).catch((error: unknown) => {
      // Another process has just moved it, which has the same effect.
      if (!(error instanceof Error && error.name === 'ConditionalCheckFailedException')) throw error;
    });
  });
}

function toStored(item: unknown): StoredDelivery {
  return { delivery: fromDeliveryItem(item), waiting: waitingItem.parse(item)[sortKey] ?? null };
}

async function onTable<T>(
  stack: StackFile,
  work: (client: DynamoDBDocumentClient) => Promise<T>,
): Promise<T> {
  const client = new DynamoDBClient({
    endpoint: stack.endpoints.dynamodb,
    region: stack.region,
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });
  return await work(DynamoDBDocumentClient.from(client)).finally(() => client.destroy());
}
