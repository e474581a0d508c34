import { toReplayMessage } from '#shared/contract/messages/replay-message.ts';
import type { SendReplayStep } from '#shared/operations/replays/ports.ts';
import type { Send } from './delivery-queue.ts';
import type { Io } from './io.ts';

export function sendReplayStep(send: Send, io: Io): SendReplayStep {
  return (step, delaySeconds) =>
    io({ service: 'queue', name: `send step ${step.step}` }, () => {
      if (!send(JSON.stringify(toReplayMessage(step)), delaySeconds * 1000)) throw new Error('Not sent');
    });
}
