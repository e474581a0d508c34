import { z } from 'zod';

const sizes = z.looseObject({
  MessageBody: z.string().optional(),
  MessageAttributes: z.unknown().optional(),
});
const sent = sizes.extend({ QueueUrl: z.string(), Entries: z.array(sizes).optional() });

/** SQS bills a request for each 64 KB of messages, and one for a call without any. */
const requestBytes = 64 * 1024;

export type QueueCapacity = {
  /** Last part of the URL. */
  readonly queue: string;
  readonly requests: number;
};

/** Reads how many requests a call of a function is billed as. */
export function queueCapacityOf(input: unknown): QueueCapacity {
  const { QueueUrl, Entries, ...single } = sent.parse(input);
  const bytes = (Entries ?? [single]).reduce((sum, message) => sum + messageBytes(message), 0);
  const queue = QueueUrl.slice(QueueUrl.lastIndexOf('/') + 1);
  return { queue, requests: Math.max(1, Math.ceil(bytes / requestBytes)) };
}

function messageBytes({ MessageBody = '', MessageAttributes }: z.infer<typeof sizes>): number {
  const attributes = MessageAttributes === undefined ? '' : JSON.stringify(MessageAttributes);
  return Buffer.byteLength(MessageBody) + Buffer.byteLength(attributes);
}
