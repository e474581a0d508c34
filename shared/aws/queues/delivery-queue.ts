import {
  SendMessageBatchCommand,
  type SendMessageBatchRequestEntry,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { toDeliveryMessage } from '#shared/contract/messages/delivery-message.ts';
import { chunks } from '#shared/domain/chunks.ts';
import type { DueAttempt } from '#shared/domain/delivery.ts';
import type { EnqueueAttempts } from '#shared/operations/ports.ts';
import type { EnqueueDelayed } from '#shared/operations/replays/ports.ts';

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

/** The same, with a delay for each attempt. A standard queue takes it for a message with a message group, too. */
export function enqueueDelayed(client: SQSClient, queueUrl: string): EnqueueDelayed {
  return async (due) => {
    const refused = await Promise.all(
      chunks(due, batchSize).map((batch) =>
        sendBatch(client, queueUrl, batch, ({ delaySeconds }) => ({ DelaySeconds: delaySeconds })),
      ),
    );
    return refused.flat();
  };
}

async function sendBatch<D extends DueAttempt>(
  client: SQSClient,
  queueUrl: string,
  batch: readonly D[],
  delayOf: (due: D) => Pick<SendMessageBatchRequestEntry, 'DelaySeconds'> = () => ({}),
): Promise<readonly D[]> {
  const Entries = batch.map((due, index) => ({ ...toEntry(due, index), ...delayOf(due) }));
  const { Failed = [] } = await client.send(new SendMessageBatchCommand({ QueueUrl: queueUrl, Entries }));
  return Failed.flatMap(({ Id }) => batch[Number(Id)] ?? []);
}

function toEntry(due: DueAttempt, index: number): SendMessageBatchRequestEntry {
  return {
    Id: String(index),
    MessageBody: JSON.stringify(toDeliveryMessage(due)),
    MessageGroupId: due.key.webhookId,
  };
}
