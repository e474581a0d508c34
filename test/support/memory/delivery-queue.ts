import { toDeliveryMessage } from '#shared/contract/messages/delivery-message.ts';
import { toReplayMessage } from '#shared/contract/messages/replay-message.ts';
import { chunks } from '#shared/domain/chunks.ts';
import type { DueAttempt } from '#shared/domain/delivery.ts';
import type { EnqueueAttempts } from '#shared/operations/ports.ts';
import type { EnqueueDelayed, SendReplayStep } from '#shared/operations/replays/ports.ts';
import type { Io } from './io.ts';

/** SQS takes at most this many messages in one request. */
const batchSize = 10;

/** Puts one message on the queue. @param delay in milliseconds @returns `false` when the queue refuses it */
export type Send = (body: string, delay?: number) => boolean;

export function enqueueAttempts(send: Send, io: Io): EnqueueAttempts {
  return (due) => enqueue(send, io, due, () => 0);
}

export function enqueueDelayed(send: Send, io: Io): EnqueueDelayed {
  return (due) => enqueue(send, io, due, ({ delaySeconds }) => delaySeconds * 1000);
}

export function sendReplayStep(send: Send, io: Io): SendReplayStep {
  return async (step, delaySeconds) => {
    const isSent = await io({ service: 'queue', name: `send step ${step.step}` }, () =>
      send(JSON.stringify(toReplayMessage(step)), delaySeconds * 1000),
    );
    if (!isSent) throw new Error('The queue refused the message of a step');
  };
}

/** @param delayOf milliseconds. @returns the attempts that the queue refused */
async function enqueue<T extends DueAttempt>(
  send: Send,
  io: Io,
  due: readonly T[],
  delayOf: (attempt: T) => number,
): Promise<readonly T[]> {
  const refused = await Promise.all(
    chunks(due, batchSize).map((batch) =>
      io({ service: 'queue', name: `send ${batch.length}` }, () =>
        batch.filter((attempt) => !send(JSON.stringify(toDeliveryMessage(attempt)), delayOf(attempt))),
      ),
    ),
  );
  return refused.flat();
}
