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
  readonly eventId: string;
  readonly eventType: string;
  /** `null` for events without a Run. */
  readonly runId: string | null;
  /** `null` when it is not in the waiting index. */
  readonly waiting: string | null;
};

const { sortKey } = tableSchema.indexes.waiting;
const longAgo = 60 * 60_000;
const waitingItem = z.object({ [sortKey]: z.string().optional() });

/** Reads every delivery from the table, including those that the API does not show. */
export async function readDeliveries(stack: StackFile): Promise<readonly StoredDelivery[]> {
  const client = connect(stack);
  const found: StoredDelivery[] = [];
  try {
    const input = {
      TableName: stack.table_name,
      ConsistentRead: true,
      FilterExpression: 'begins_with(pk, :deliveries)',
      ExpressionAttributeValues: { ':deliveries': 'DLV#' },
    };
    for await (const { Items = [] } of paginateScan({ client }, input)) found.push(...Items.map(toStored));
    return found;
  } finally {
    client.destroy();
  }
}

/**
 * Moves the due time of a waiting delivery back by more than an hour, as if that time had passed. Nothing else changes.
 */
export async function letTimePass(
  stack: StackFile,
  { delivery, waiting }: StoredDelivery,
  now: number,
): Promise<void> {
  const client = connect(stack);
  try {
    await client.send(
      new UpdateCommand({
        TableName: stack.table_name,
        Key: deliveryKey(delivery),
        UpdateExpression: `SET ${sortKey} = :longAgo`,
        ConditionExpression: `${sortKey} = :seen`,
        ExpressionAttributeValues: {
          ':seen': waiting,
          ':longAgo': waitingAttributes(delivery, now - longAgo)[sortKey],
        },
      }),
    );
  } catch (error) {
    // Another process has just moved it, which has the same effect.
    if (!(error instanceof Error && error.name === 'ConditionalCheckFailedException')) throw error;
  } finally {
    client.destroy();
  }
}

function toStored(item: unknown): StoredDelivery {
  const delivery = fromDeliveryItem(item);
  const { event } = delivery;
  return {
    delivery,
    eventId: event.id,
    eventType: event.type,
    runId: event.runId,
    waiting: waitingItem.parse(item)[sortKey] ?? null,
  };
}

function connect(stack: StackFile): DynamoDBDocumentClient {
  const client = new DynamoDBClient({
    endpoint: stack.endpoints.dynamodb,
    region: stack.region,
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });
  return DynamoDBDocumentClient.from(client);
}
