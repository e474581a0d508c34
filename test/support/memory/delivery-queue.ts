import { toDeliveryMessage } from '#shared/contract/messages/delivery-message.ts';
import type { EnqueueAttempts } from '#shared/operations/ports.ts';
import type { Io } from './io.ts';

/** SQS takes at most this many messages in one request. */
const batchSize = 10;

/** Puts one message on the queue. @returns `false` when the queue refuses it */
export type Send = (body: string) => boolean;

export function enqueueAttempts(send: Send, io: Io): EnqueueAttempts {
  return async (due) => {
    const batches = Array.from({ length: Math.ceil(due.length / batchSize) }, (_, index) =>
      due.slice(index * batchSize, (index + 1) * batchSize),
    );
    const refused = await Promise.all(
      batches.map((batch) =>
        io({ service: 'queue', name: `send ${batch.length}` }, () =>
          batch.filter((attempt) => !send(JSON.stringify(toDeliveryMessage(attempt)))),
        ),
      ),
    );
    return refused.flat();
  };
}
