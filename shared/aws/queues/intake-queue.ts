import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';

/**
 * Puts one message on the intake queue, as the Run engine does. The customer is the message group, by which the queue
 * keeps one customer's burst from delaying the others.
 */
export function sendToIntake(client: SQSClient, queueUrl: string) {
  return async (message: { readonly customer_id: string }): Promise<void> => {
    await client.send(
      new SendMessageCommand({
        QueueUrl: queueUrl,
        MessageBody: JSON.stringify(message),
        MessageGroupId: message.customer_id,
      }),
    );
  };
}
