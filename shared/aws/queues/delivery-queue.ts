import { SendMessageBatchCommand, type SendMessageBatchRequestEntry, SQSClient } from '@aws-sdk/client-sqs';
import { clientSettings, type ServiceAddress } from '#shared/aws/client-settings.ts';
import { toDeliveryMessage } from '#shared/contract/messages/delivery-message.ts';
import { chunks } from '#shared/domain/chunks.ts';
import type { DueAttempt } from '#shared/domain/delivery.ts';
import type { EnqueueAttempts } from '#shared/operations/ports.ts';

/** Call once per process, at module scope of a handler. */
export const connectQueues = (address: ServiceAddress = {}): SQSClient =>
  new SQSClient({ ...clientSettings, ...address, useQueueUrlAsEndpoint: false });

/** Maximum number of messages in one SQS request. */
const batchSize = 10;

/**
 * Puts attempts on a queue of due attempts. The message group is the endpoint, so that one endpoint does not delay the
 * others.
 */
export function enqueueAttempts(client: SQSClient, queueUrl: string): EnqueueAttempts {
  return async (due) => {
    const refused = await Promise.all(
      chunks(due, batchSize).map((batch) => sendBatch(client, queueUrl, batch)),
    );
    return refused.flat();
  };
}

async function sendBatch(
  client: SQSClient,
  queueUrl: string,
  batch: readonly DueAttempt[],
): Promise<readonly DueAttempt[]> {
  const { Failed = [] } = await client.send(
    new SendMessageBatchCommand({ QueueUrl: queueUrl, Entries: batch.map(toEntry) }),
  );
  return Failed.flatMap(({ Id }) => batch[Number(Id)] ?? []);
}

function toEntry(due: DueAttempt, index: number): SendMessageBatchRequestEntry {
  return {
    Id: String(index),
    MessageBody: JSON.stringify(toDeliveryMessage(due)),
    MessageGroupId: due.key.webhookId,
  };
}
