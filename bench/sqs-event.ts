import { randomUUID } from 'node:crypto';
import type { SQSEvent } from 'aws-lambda';
import { sqsEvent } from '../local/aws/events/sqs-records.ts';

/** A batch as Lambda passes it to a queue function. */
export function batchOf(messages: readonly object[]): SQSEvent {
  return sqsEvent(
    'arn:aws:sqs:us-east-1:000000000000:queue',
    messages.map((message) => ({
      MessageId: randomUUID(),
      ReceiptHandle: 'receipt',
      Body: JSON.stringify(message),
      MD5OfBody: '',
      Attributes: {},
      MessageAttributes: {},
    })),
  );
}
