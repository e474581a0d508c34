import { SendMessageBatchCommand, type SendMessageBatchCommandInput, type SQSClient } from '@aws-sdk/client-sqs';

/** A queue that takes several messages in one request, as the package for senders uses it. */
export const batchQueue = (client: SQSClient) => ({
  sendMessageBatch: (input: SendMessageBatchCommandInput) => client.send(new SendMessageBatchCommand(input)),
});
