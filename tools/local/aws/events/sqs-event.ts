import type { SQSEvent } from 'aws-lambda';
import { localRegion } from '../../template/identities.ts';
import type { QueueMessage } from './queue-reader.ts';

/** The event that Lambda passes to a function for a batch. */
export function sqsEvent(queueArn: string, messages: readonly QueueMessage[]): SQSEvent {
  return {
    Records: messages.map((message) => ({
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
        Object.entries(message.MessageAttributes).map(([name, attribute]) => [
          name,
          {
            dataType: attribute.DataType,
            stringListValues: [],
            binaryListValues: [],
            ...(attribute.StringValue !== undefined && { stringValue: attribute.StringValue }),
            ...(attribute.BinaryValue !== undefined && { binaryValue: attribute.BinaryValue }),
          },
        ]),
      ),
      md5OfBody: message.MD5OfBody,
      ...(message.MD5OfMessageAttributes && { md5OfMessageAttributes: message.MD5OfMessageAttributes }),
      eventSource: 'aws:sqs',
      eventSourceARN: queueArn,
      awsRegion: localRegion,
    })),
  };
}
