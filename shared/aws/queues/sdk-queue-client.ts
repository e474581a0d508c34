import {
  ChangeMessageVisibilityBatchCommand,
  GetQueueAttributesCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import type { QueueClient } from './queue-client.ts';

/** The operations of SQS, by the AWS SDK. */
export function sdkQueueClient(client: SQSClient): QueueClient {
  return {
    sendMessage: async (input) => void (await client.send(new SendMessageCommand(input))),
    sendMessageBatch: (input) => client.send(new SendMessageBatchCommand(input)),
    changeMessageVisibilityBatch: (input) => client.send(new ChangeMessageVisibilityBatchCommand(input)),
    getQueueAttributes: (input) => client.send(new GetQueueAttributesCommand(input)),
  };
}
