import { z } from 'zod';
import type { CallService } from '../../stack/service-client.ts';
import { messageAttributesSchema } from '../sqs/message.ts';

/** SQS's limit of messages per call. */
const maxBatchSize = 10;

const messageSchema = z.object({
  MessageId: z.string(),
  ReceiptHandle: z.string(),
  Body: z.string(),
  MD5OfBody: z.string(),
  MD5OfMessageAttributes: z.string().optional(),
  Attributes: z.record(z.string(), z.string()).default({}),
  MessageAttributes: messageAttributesSchema.default({}),
});

/** Response of SQS's ReceiveMessage; without messages it is an empty object. */
const receivedSchema = z.object({ Messages: z.array(messageSchema).default([]) });

export type QueueMessage = z.infer<typeof messageSchema>;

/** One queue, as the poller sees it. */
export type QueueReader = ReturnType<typeof createQueueReader>;

export function createQueueReader(call: CallService, QueueUrl: string) {
  return {
    /** Receives up to `count` messages, of which SQS gives ten at most. Waits at most `waitSeconds`, up to 20. */
    receive: async (count: number, waitSeconds: number, signal: AbortSignal) => {
      const input = {
        QueueUrl,
        MaxNumberOfMessages: Math.min(count, maxBatchSize),
        WaitTimeSeconds: waitSeconds,
        MessageSystemAttributeNames: ['All'],
        MessageAttributeNames: ['All'],
      };
      return receivedSchema.parse(await call('ReceiveMessage', input, { signal })).Messages;
    },
    /** A message that cannot be deleted is received again, which consumers must expect anyway. */
    delete: async (messages: readonly QueueMessage[]) => {
      const entries = messages.map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle }));
      for (let start = 0; start < entries.length; start += maxBatchSize) {
        const Entries = entries.slice(start, start + maxBatchSize);
        await call('DeleteMessageBatch', { QueueUrl, Entries });
      }
    },
  };
}
