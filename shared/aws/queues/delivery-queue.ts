import { SendMessageBatchCommand, type SendMessageBatchRequestEntry, type SQSClient } from '@aws-sdk/client-sqs';
import { toDeliveryMessage } from '#shared/contract/messages/delivery-message.ts';
import { chunks } from '#shared/domain/chunks.ts';
import type { Lane } from '#shared/domain/lane.ts';
import type { EnqueueAttempts, QueuedAttempt } from '#shared/operations/ports.ts';

/** Maximum number of messages in one SQS request. */
const batchSize = 10;

/**
 * Puts attempts on the delivery queue of a lane. The message group is the endpoint, so that one endpoint does not delay
 * the others. A standard queue takes a delay for a message with a message group, too.
 */
export function enqueueAttempts<L extends Lane>(
  client: SQSClient,
  queueUrls: Readonly<Record<L, string>>,
): EnqueueAttempts<L> {
  return async (due, lane) => {
    const refused = await Promise.all(chunks(due, batchSize).map((batch) => sendBatch(client, queueUrls[lane], batch)));
    return refused.flat();
  };
}

async function sendBatch(
  client: SQSClient,
  QueueUrl: string,
  batch: readonly QueuedAttempt[],
): Promise<readonly QueuedAttempt[]> {
  const Entries = batch.map(toEntry);
  const { Failed = [] } = await client.send(new SendMessageBatchCommand({ QueueUrl, Entries }));
  return Failed.flatMap(({ Id }) => batch[Number(Id)] ?? []);
}

function toEntry(due: QueuedAttempt, index: number): SendMessageBatchRequestEntry {
  return {
    Id: String(index),
    MessageBody: JSON.stringify(toDeliveryMessage(due)),
    MessageGroupId: due.key.webhookId,
    DelaySeconds: due.delaySeconds,
  };
}
