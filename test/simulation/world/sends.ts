import { toDeliveryMessage } from '#shared/contract/messages/delivery-message.ts';
import { toReplayMessage } from '#shared/contract/messages/replay-message.ts';
import { chunks } from '#shared/domain/chunks.ts';
import type { Lane } from '#shared/domain/lane.ts';
import type { EnqueueAttempts, SendReplayStep } from '#shared/operations/ports.ts';
import type { Io } from '../../support/table/io.ts';

/** SQS takes at most this many messages in one request. */
const batchSize = 10;

/** Puts one message on the queue. @param delay in milliseconds @returns `false` when the queue refuses it */
export type Send = (body: string, delay?: number) => boolean;

export function enqueueAttempts(sendTo: Readonly<Record<Lane, Send>>, io: Io): EnqueueAttempts {
  return async (due, lane) => {
    const refused = await Promise.all(
      chunks(due, batchSize).map((batch) =>
        io({ service: 'queue', name: `send ${batch.length}` }, () =>
          batch.filter((attempt) => {
            const { delaySeconds = 0 } = attempt;
            return !sendTo[lane](JSON.stringify(toDeliveryMessage(attempt)), delaySeconds * 1000);
          }),
        ),
      ),
    );
    return refused.flat();
  };
}

export function sendReplayStep(send: Send, io: Io): SendReplayStep {
  return async (step, delaySeconds) => {
    const isSent = await io({ service: 'queue', name: `send step ${step.step}` }, () =>
      send(JSON.stringify(toReplayMessage(step)), delaySeconds * 1000),
    );
    if (!isSent) throw new Error('The queue refused the message of a step');
  };
}
