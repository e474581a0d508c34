import type {
  ChangeMessageVisibilityBatchCommandInput,
  GetQueueAttributesCommandInput,
  GetQueueAttributesCommandOutput,
  SendMessageBatchCommandInput,
  SendMessageBatchCommandOutput,
  SendMessageCommandInput,
} from '@aws-sdk/client-sqs';

/** The operations of SQS that functions use. */
export type QueueClient = {
  sendMessage(input: SendMessageCommandInput): Promise<void>;
  /** @returns the messages that the queue refused; the others were accepted */
  sendMessageBatch(
    input: SendMessageBatchCommandInput,
  ): Promise<{ readonly Failed?: readonly Pick<BatchFailure, 'Id'>[] | undefined }>;
  /** @returns the messages whose visibility stays as it was */
  changeMessageVisibilityBatch(
    input: ChangeMessageVisibilityBatchCommandInput,
  ): Promise<{ readonly Failed?: readonly Pick<BatchFailure, 'Id'>[] | undefined }>;
  getQueueAttributes(
    input: GetQueueAttributesCommandInput,
  ): Promise<Pick<GetQueueAttributesCommandOutput, 'Attributes'>>;
};

type BatchFailure = NonNullable<SendMessageBatchCommandOutput['Failed']>[number];
