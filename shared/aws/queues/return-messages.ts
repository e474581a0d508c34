import { ChangeMessageVisibilityBatchCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { chunks } from '#shared/domain/chunks.ts';

/** Maximum number of messages in one SQS request. */
const batchSize = 10;

/** A received message, and the seconds after which it is to be visible again. */
export type ReturnedMessage = { readonly receiptHandle: string; readonly waitSeconds: number };

/**
 * Makes received messages visible before the visibility timeout of their queue.
 *
 * @throws Error when SQS refused some; each of these stays hidden for the rest of the timeout
 */
export function returnMessages(client: SQSClient, queueUrl: string) {
  return async (messages: readonly ReturnedMessage[]): Promise<void> => {
    const refused = await Promise.all(chunks(messages, batchSize).map((batch) => returnBatch(client, queueUrl, batch)));
    const count = refused.reduce((sum, each) => sum + each, 0);
    if (count > 0) throw new Error(`Cannot change the visibility of ${count} messages: SQS refused them`);
  };
}

/** @returns how many were refused */
async function returnBatch(client: SQSClient, QueueUrl: string, batch: readonly ReturnedMessage[]): Promise<number> {
  const Entries = batch.map(({ receiptHandle, waitSeconds }, index) => ({
    Id: String(index),
    ReceiptHandle: receiptHandle,
    VisibilityTimeout: waitSeconds,
  }));
  const { Failed = [] } = await client.send(new ChangeMessageVisibilityBatchCommand({ QueueUrl, Entries }));
  return Failed.length;
}
