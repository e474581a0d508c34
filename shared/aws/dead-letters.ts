import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';

/** SQS allows 1 MiB for a message, its attributes included. */
const maxReasonLength = 1000;

/**
 * Moves a message that can never be processed to the dead-letter queue at once, with the reason beside it.
 *
 * @param reason why, without any part of the message
 */
export function sendToDeadLetters(client: SQSClient, queueUrl: string) {
  return async (body: string, reason: string): Promise<void> => {
    await client.send(
      new SendMessageCommand({
        QueueUrl: queueUrl,
        MessageBody: body,
        MessageAttributes: { reason: { DataType: 'String', StringValue: reason.slice(0, maxReasonLength) } },
      }),
    );
  };
}
