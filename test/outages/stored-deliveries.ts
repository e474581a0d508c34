import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, paginateScan, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { fromDeliveryItem } from '#shared/aws/table/delivery-item.ts';
import { deliveryKey, waitingAttributes } from '#shared/aws/table/keys.ts';
import { tableSchema } from '#shared/contract/table-schema.ts';
import type { Delivery } from '#shared/domain/delivery.ts';
import type { StackFile } from '../../local/stack/stack-file.ts';

/** A delivery as the table has it, and where it stands in the index of waiting ones. */
export type StoredDelivery = {
  readonly delivery: Delivery;
  readonly eventId: string;
  readonly eventType: string;
  /** `null` for events that are about no Run. */
  readonly runId: string | null;
  /** `null` when the sweep does not know of it. */
  readonly waiting: string | null;
};

const { sortKey } = tableSchema.indexes.waiting;
const longAgo = 60 * 60_000;
const waitingItem = z.object({ [sortKey]: z.string().optional() });

/** Reads every delivery, past the API: what nobody would be shown counts as well. */
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
 * Lets an hour and more go by for a delivery that waits: the time at which it should have been woken is moved back,
 * as a clock that runs faster than the sweep's would have it. Nothing else of it changes.
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
    // Somebody has just moved it on, which is as good.
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
