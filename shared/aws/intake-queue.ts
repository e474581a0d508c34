import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';

/** Puts one message on the intake queue, as the Run engine does. */
export function sendToIntake(client: SQSClient, queueUrl: string) {
  return async (message: unknown): Promise<void> => {
    await client.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: JSON.stringify(message) }));
  };
}
