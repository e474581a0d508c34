import { SendMessageBatchCommand, type SendMessageBatchRequestEntry, SQSClient } from '@aws-sdk/client-sqs';
import { clientSettings, type ServiceAddress } from '#shared/aws/client-settings.ts';
import type { DeliveryMessage } from '#shared/contract/messages/delivery-message.ts';
import type { EnqueueDeliveries } from '#shared/operations/ports.ts';

/** Made once per process, at module scope of a handler. */
export const connectQueues = (address: ServiceAddress = {}): SQSClient =>
  new SQSClient({ ...clientSettings, ...address, useQueueUrlAsEndpoint: false });

/** SQS takes at most this many messages in one request. */
const batchSize = 10;

/**
 * Puts first attempts on the delivery queue. The endpoint is the message group, by which the queue keeps one slow
 * endpoint from delaying the others.
 */
export function enqueueDeliveries(client: SQSClient, queueUrl: string): EnqueueDeliveries {
  return async (messages) => {
    const batches = Array.from({ length: Math.ceil(messages.length / batchSize) }, (_, index) =>
      messages.slice(index * batchSize, (index + 1) * batchSize),
    );
    const refused = await Promise.all(batches.map((batch) => sendBatch(client, queueUrl, batch)));
    return refused.flat();
  };
}

async function sendBatch(
  client: SQSClient,
  queueUrl: string,
  batch: readonly DeliveryMessage[],
): Promise<readonly DeliveryMessage[]> {
  const { Failed = [] } = await client.send(
    new SendMessageBatchCommand({ QueueUrl: queueUrl, Entries: batch.map(toEntry) }),
  );
  return Failed.flatMap(({ Id }) => batch[Number(Id)] ?? []);
}

function toEntry(message: DeliveryMessage, index: number): SendMessageBatchRequestEntry {
  return {
    Id: String(index),
    MessageBody: JSON.stringify(message),
    MessageGroupId: message.webhook_id,
  };
}
