import {
  SendMessageBatchCommand,
  type SendMessageBatchCommandInput,
  SendMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { queueJson } from '#shared/contract/messages/queue-json.ts';

/**
 * Puts one message on the intake queue, as the Run engine does. The message group is the customer, so that one
 * customer's burst does not delay the others.
 */
export function sendToIntake(client: SQSClient, queueUrl: string) {
  return async (message: { readonly customer_id: string }): Promise<void> => {
    await client.send(
      new SendMessageCommand({
        QueueUrl: queueUrl,
        MessageBody: queueJson(message),
        MessageGroupId: message.customer_id,
      }),
    );
  };
}

/** A queue that takes several messages in one request, as the package for senders uses it. */
export const batchQueue = (client: SQSClient) => ({
  sendMessageBatch: (input: SendMessageBatchCommandInput) => client.send(new SendMessageBatchCommand(input)),
});
