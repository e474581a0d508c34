import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { toReplayMessage } from '#shared/contract/messages/replay-message.ts';
import type { SendReplayStep } from '#shared/operations/ports.ts';

/** Puts the message of a step on the queue of bulk replays. The message group is the endpoint. */
export function sendReplayStep(client: SQSClient, queueUrl: string): SendReplayStep {
  return async (step, delaySeconds) => {
    await client.send(
      new SendMessageCommand({
        QueueUrl: queueUrl,
        MessageBody: JSON.stringify(toReplayMessage(step)),
        MessageGroupId: step.key.webhookId,
        DelaySeconds: delaySeconds,
      }),
    );
  };
}
