import { z } from 'zod';

const sizes = z.looseObject({
  MessageBody: z.string().optional(),
  Body: z.string().optional(),
  MessageAttributes: z.unknown().optional(),
});
const input = sizes.extend({ QueueUrl: z.string(), Entries: z.array(sizes).optional() });
const received = z.looseObject({ Messages: z.array(sizes).default([]) });

/** SQS bills a request for each 64 KB of messages, and one for a call without any. */
const requestBytes = 64 * 1024;

export type QueueCapacity = {
  /** Last part of the URL. */
  readonly queue: string;
  readonly messages: number;
  readonly requests: number;
};

/** Reads how many requests a call is billed as, and how many messages it sent, received or deleted. */
export function queueCapacityOf(action: string, given: unknown, answer: unknown): QueueCapacity {
  const { QueueUrl, Entries, ...single } = input.parse(given);
  const queue = QueueUrl.slice(QueueUrl.lastIndexOf('/') + 1);
  const messages = action === 'ReceiveMessage' ? received.parse(answer).Messages : (Entries ?? [single]);
  const bytes = messages.reduce((sum, message) => sum + messageBytes(message), 0);
  return { queue, messages: messages.length, requests: Math.max(1, Math.ceil(bytes / requestBytes)) };
}

function messageBytes({ MessageBody, Body, MessageAttributes }: z.infer<typeof sizes>): number {
  const attributes = MessageAttributes === undefined ? '' : JSON.stringify(MessageAttributes);
  return Buffer.byteLength(MessageBody ?? Body ?? '') + Buffer.byteLength(attributes);
}
