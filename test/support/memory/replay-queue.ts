import { toReplayMessage } from '#shared/contract/messages/replay-message.ts';
import type { SendReplayStep } from '#shared/operations/replays/ports.ts';
import type { Send } from './delivery-queue.ts';
import type { Io } from './io.ts';

export function sendReplayStep(send: Send, io: Io): SendReplayStep {
  return async (step, delaySeconds) => {
    const isSent = await io({ service: 'queue', name: `send step ${step.step}` }, () =>
      send(JSON.stringify(toReplayMessage(step)), delaySeconds * 1000),
    );
    if (!isSent) throw new Error('The queue refused the message of a step');
  };
}
