import type { EnqueueDeliveries } from '#shared/operations/ports.ts';
import type { Io } from './io.ts';

/** SQS takes at most this many messages in one request. */
const batchSize = 10;

/** Puts one message on the queue. @returns `false` when the queue refuses it */
export type Send = (body: string) => boolean;

export function enqueueDeliveries(send: Send, io: Io): EnqueueDeliveries {
  return async (messages) => {
    const batches = Array.from({ length: Math.ceil(messages.length / batchSize) }, (_, index) =>
      messages.slice(index * batchSize, (index + 1) * batchSize),
    );
    const refused = await Promise.all(
      batches.map((batch) =>
        io({ service: 'queue', name: `send ${batch.length}` }, () =>
          batch.filter((message) => !send(JSON.stringify(message))),
        ),
      ),
    );
    return refused.flat();
  };
}
