import type { SendMessageBatchRequestEntry } from '@aws-sdk/client-sqs';
import { toDeliveryMessage } from '#shared/contract/messages/delivery-message.ts';
import { chunks } from '#shared/domain/chunks.ts';
import type { DueAttempt } from '#shared/domain/delivery.ts';
import type { EnqueueAttempts } from '#shared/operations/ports.ts';
import type { QueueClient } from './queue-client.ts';

/** Maximum number of messages in one SQS request. */
const batchSize = 10;

/**
 * Puts attempts on a queue of due attempts. The message group is the endpoint, so that one endpoint does not delay the
 * others.
 */
export function enqueueAttempts(client: QueueClient, queueUrl: string): EnqueueAttempts {
  return async (due) => {
    const refused = await Promise.all(
      chunks(due, batchSize).map((batch) => sendBatch(client, queueUrl, batch)),
    );
    return refused.flat();
  };
}

async function sendBatch(
  client: QueueClient,
  queueUrl: string,
  batch: readonly DueAttempt[],
): Promise<readonly DueAttempt[]> {
  const { Failed = [] } = await client.sendMessageBatch({ QueueUrl: queueUrl, Entries: batch.map(toEntry) });
  return Failed.flatMap(({ Id }) => batch[Number(Id)] ?? []);
}

function toEntry(due: DueAttempt, index: number): SendMessageBatchRequestEntry {
  return {
    Id: String(index),
    MessageBody: JSON.stringify(toDeliveryMessage(due)),
    MessageGroupId: due.key.webhookId,
  };
}
