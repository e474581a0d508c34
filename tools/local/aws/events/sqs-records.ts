import type { SQSEvent, SQSRecord } from 'aws-lambda';
import { z } from 'zod';
import { localRegion } from '../../template/identities.ts';

const messageAttributeSchema = z.object({
  DataType: z.string(),
  StringValue: z.string().optional(),
  BinaryValue: z.string().optional(),
});

const messageSchema = z.object({
  MessageId: z.string(),
  ReceiptHandle: z.string(),
  Body: z.string(),
  MD5OfBody: z.string(),
  MD5OfMessageAttributes: z.string().optional(),
  Attributes: z.record(z.string(), z.string()).default({}),
  MessageAttributes: z.record(z.string(), messageAttributeSchema).default({}),
});

/** Response of SQS's ReceiveMessage; without messages it is an empty object. */
export const receivedSchema = z.object({ Messages: z.array(messageSchema).default([]) });

export type QueueMessage = z.infer<typeof messageSchema>;

/** The event that Lambda passes to a function for a batch. */
export function sqsEvent(queueArn: string, messages: readonly QueueMessage[]): SQSEvent {
  return { Records: messages.map((message) => sqsRecord(queueArn, message)) };
}

function sqsRecord(queueArn: string, message: QueueMessage): SQSRecord {
  return {
    messageId: message.MessageId,
    receiptHandle: message.ReceiptHandle,
    body: message.Body,
    attributes: {
      ApproximateReceiveCount: '1',
      SentTimestamp: '0',
      SenderId: 'local',
      ApproximateFirstReceiveTimestamp: '0',
      ...message.Attributes,
    },
    messageAttributes: Object.fromEntries(
      Object.entries(message.MessageAttributes).map(([name, value]) => [name, recordAttribute(value)]),
    ),
    md5OfBody: message.MD5OfBody,
    ...(message.MD5OfMessageAttributes && { md5OfMessageAttributes: message.MD5OfMessageAttributes }),
    eventSource: 'aws:sqs',
    eventSourceARN: queueArn,
    awsRegion: localRegion,
  };
}

function recordAttribute(
  given: z.infer<typeof messageAttributeSchema>,
): SQSRecord['messageAttributes'][string] {
  return {
    dataType: given.DataType,
    stringListValues: [],
    binaryListValues: [],
    ...(given.StringValue !== undefined && { stringValue: given.StringValue }),
    ...(given.BinaryValue !== undefined && { binaryValue: given.BinaryValue }),
  };
}
