import { z } from 'zod';
import type { EmulatorMessage } from './emulator-modules.ts';

const textMapSchema = z.record(z.string(), z.string());
const queueRowSchema = z.object({
  name: z.string(),
  arn: z.string(),
  attributes: z.string(),
  tags: z.string(),
});
const messageRowSchema = z.object({
  queue: z.string(),
  message: z.string(),
  receive_count: z.number(),
  first_received_at: z.number().nullable(),
  receipt_handle: z.string().nullable(),
  visible_at: z.number().nullable(),
});
const attributeSchema = z.object({
  DataType: z.string(),
  StringValue: z.string().exactOptional(),
  BinaryValue: z.string().exactOptional(),
});
const messageSchema = z.object({
  messageId: z.string(),
  body: z.string(),
  md5OfBody: z.string(),
  messageAttributes: z.record(z.string(), attributeSchema),
  md5OfMessageAttributes: z.string(),
  sentTimestamp: z.number(),
  approximateReceiveCount: z.number(),
  approximateFirstReceiveTimestamp: z.number().exactOptional(),
  delayUntil: z.number().exactOptional(),
  messageGroupId: z.string().exactOptional(),
  messageDeduplicationId: z.string().exactOptional(),
  sequenceNumber: z.string().exactOptional(),
});

export type StoredQueue = {
  readonly name: string;
  readonly arn: string;
  readonly attributes: Record<string, string>;
  readonly tags: Record<string, string>;
};

export type StoredMessage = {
  readonly queue: string;
  readonly message: EmulatorMessage;
  /** Set for a message that was received and neither deleted nor given back. Epoch milliseconds. */
  readonly inFlight: { readonly receiptHandle: string; readonly visibleAt: number } | null;
};

/** @throws ZodError when the row was not written by this version. */
export function toQueue(value: unknown): StoredQueue {
  const { name, arn, attributes, tags } = queueRowSchema.parse(value);
  return {
    name,
    arn,
    attributes: textMapSchema.parse(JSON.parse(attributes)),
    tags: textMapSchema.parse(JSON.parse(tags)),
  };
}

/** @throws ZodError when the row was not written by this version. */
export function toMessage(value: unknown): StoredMessage {
  const row = messageRowSchema.parse(value);
  const message: EmulatorMessage = messageSchema.parse(JSON.parse(row.message));
  message.approximateReceiveCount = row.receive_count;
  if (row.first_received_at !== null) message.approximateFirstReceiveTimestamp = row.first_received_at;
  const { receipt_handle: receiptHandle, visible_at: visibleAt } = row;
  const inFlight = receiptHandle === null || visibleAt === null ? null : { receiptHandle, visibleAt };
  return { queue: row.queue, message, inFlight };
}
