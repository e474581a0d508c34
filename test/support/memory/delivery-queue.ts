import { toDeliveryMessage } from '#shared/contract/messages/delivery-message.ts';
import { chunks } from '#shared/domain/chunks.ts';
import type { EnqueueAttempts } from '#shared/operations/ports.ts';
import type { Io } from './io.ts';

/** SQS takes at most this many messages in one request. */
const batchSize = 10;

/** Puts one message on the queue. @returns `false` when the queue refuses it */
export type Send = (body: string) => boolean;

export function enqueueAttempts(send: Send, io: Io): EnqueueAttempts {
  return async (due) => {
    const refused = await Promise.all(
      chunks(due, batchSize).map((batch) =>
        io({ service: 'queue', name: `send ${batch.length}` }, () =>
          batch.filter((attempt) => !send(JSON.stringify(toDeliveryMessage(attempt)))),
        ),
      ),
    );
    return refused.flat();
  };
}
