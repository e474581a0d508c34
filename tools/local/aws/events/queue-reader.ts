import type { CallService } from '../../stack/service-client.ts';
import { deleteAnswerSchema, type QueueMessage, receiveAnswerSchema } from './sqs-records.ts';

/** SQS's limit of messages per call. */
const maxBatchSize = 10;
const longPollSeconds = 20;
const deleteTries = 3;

/** One queue, as the poller sees it. */
export type QueueReader = {
  /** Receives up to `count` messages, of which SQS gives ten at most. Waits at most `waitMs`, up to 20 s. */
  readonly receive: (count: number, waitMs: number, signal: AbortSignal) => Promise<readonly QueueMessage[]>;
  /** Tries three times. Any message that remains is received again, which consumers must expect anyway. */
  readonly delete: (messages: readonly QueueMessage[]) => Promise<void>;
};

export function createQueueReader(call: CallService, queueUrl: string): QueueReader {
  return {
    receive: async (count, waitMs, signal) => {
      const answer = await call(
        'ReceiveMessage',
        {
          QueueUrl: queueUrl,
          MaxNumberOfMessages: Math.min(count, maxBatchSize),
          WaitTimeSeconds: Math.min(longPollSeconds, Math.ceil(waitMs / 1_000)),
          MessageSystemAttributeNames: ['All'],
          MessageAttributeNames: ['All'],
        },
        { signal },
      );
      return receiveAnswerSchema.parse(answer).Messages;
    },
    delete: async (messages) => {
      for (let start = 0; start < messages.length; start += maxBatchSize) {
        await deleteBatch(call, queueUrl, messages.slice(start, start + maxBatchSize));
      }
    },
  };
}

async function deleteBatch(
  call: CallService,
  queueUrl: string,
  messages: readonly QueueMessage[],
): Promise<void> {
  let remaining = messages;
  for (let tries = 1; remaining.length > 0 && tries <= deleteTries; tries += 1) {
    const entries = remaining.map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle }));
    const answer = await call('DeleteMessageBatch', { QueueUrl: queueUrl, Entries: entries });
    const failed = new Set(deleteAnswerSchema.parse(answer).Failed.map(({ Id }) => Id));
    remaining = remaining.filter((_message, index) => failed.has(String(index)));
  }
}
