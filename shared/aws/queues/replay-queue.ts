import { toReplayMessage } from '#shared/contract/messages/replay-message.ts';
import type { SendReplayStep } from '#shared/operations/replays/ports.ts';
import type { QueueClient } from './queue-client.ts';

/** Puts the message of a step on the queue of bulk replays. The message group is the endpoint. */
export function sendReplayStep(client: QueueClient, queueUrl: string): SendReplayStep {
  return async (step, delaySeconds) => {
    await client.sendMessage({
      QueueUrl: queueUrl,
      MessageBody: JSON.stringify(toReplayMessage(step)),
      MessageGroupId: step.key.webhookId,
      DelaySeconds: delaySeconds,
    });
  };
}
