import type { CallService } from '../../stack/service-client.ts';
import { type QueueMessage, receivedSchema } from './sqs-records.ts';

/** SQS's limit of messages per call. */
const maxBatchSize = 10;

/** One queue, as the poller sees it. */
export type QueueReader = {
  /** Receives up to `count` messages, of which SQS gives ten at most. Waits at most `waitSeconds`, up to 20. */
  readonly receive: (
    count: number,
    waitSeconds: number,
    signal: AbortSignal,
  ) => Promise<readonly QueueMessage[]>;
  /** A message that cannot be deleted is received again, which consumers must expect anyway. */
  readonly delete: (messages: readonly QueueMessage[]) => Promise<void>;
};

export function createQueueReader(call: CallService, queueUrl: string): QueueReader {
  return {
    receive: async (count, waitSeconds, signal) => {
      const input = {
        QueueUrl: queueUrl,
        MaxNumberOfMessages: Math.min(count, maxBatchSize),
        WaitTimeSeconds: waitSeconds,
        MessageSystemAttributeNames: ['All'],
        MessageAttributeNames: ['All'],
      };
      return receivedSchema.parse(await call('ReceiveMessage', input, { signal })).Messages;
    },
    delete: async (messages) => {
      const entries = messages.map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle }));
      for (let start = 0; start < entries.length; start += maxBatchSize) {
        const Entries = entries.slice(start, start + maxBatchSize);
        await call('DeleteMessageBatch', { QueueUrl: queueUrl, Entries });
      }
    },
  };
}
