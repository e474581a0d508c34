import { setTimeout as sleep } from 'node:timers/promises';
import type { SQSEvent } from 'aws-lambda';
import type { EventSourceMapping } from '../../template/function-model.ts';
import type { InvokeResult } from '../lambda/protocol.ts';
import { completedMessages } from './batch-outcome.ts';
import type { QueueReader } from './queue-reader.ts';
import { type QueueMessage, sqsEvent } from './sqs-records.ts';

export type SqsPollerOptions = {
  readonly mapping: EventSourceMapping;
  readonly queue: QueueReader;
  readonly invoke: (event: SQSEvent) => Promise<InvokeResult>;
  /** Called when the queue cannot be reached; the poller keeps trying. */
  readonly onError: (error: unknown) => void;
};

export type RunningPoller = {
  /** Batches in flight. */
  readonly inFlight: () => number;
  /** Stops receiving, and resolves when the batches in flight are done. */
  readonly close: () => Promise<void>;
};

/** Lambda's initial concurrency for a mapping; one machine needs no more. */
const concurrentBatches = 5;
const longPollMs = 20_000;
const backoffMs = { first: 100, max: 5_000 };

/**
 * Feeds a function from a queue like Lambda's event source mapping: several concurrent batches, up to the mapping's
 * batch size and window. Deletes completed messages; failed ones wait for their visibility timeout.
 */
export function startSqsPoller(options: SqsPollerOptions): RunningPoller {
  const stop = new AbortController();
  const batches = new Set<Promise<void>>();
  const polling = poll(options, batches, stop.signal);
  return {
    inFlight: () => batches.size,
    close: async () => {
      stop.abort();
      await polling;
      await Promise.all(batches);
    },
  };
}

async function poll(
  options: SqsPollerOptions,
  batches: Set<Promise<void>>,
  signal: AbortSignal,
): Promise<void> {
  const limit = Math.min(concurrentBatches, options.mapping.maximumConcurrency ?? concurrentBatches);
  let pauseMs = backoffMs.first;
  while (!signal.aborted) {
    try {
      const messages = await collect(options, signal);
      pauseMs = backoffMs.first;
      if (messages.length === 0) continue;
      const batch = process(options, messages).finally(() => batches.delete(batch));
      batches.add(batch);
      if (batches.size >= limit) await Promise.race(batches);
    } catch (error) {
      if (signal.aborted) return;
      options.onError(error);
      await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
      pauseMs = Math.min(backoffMs.max, pauseMs * 2);
    }
  }
}

/** Waits for a first message, then for more until the batch is full or the batching window ends. */
async function collect({ mapping, queue }: SqsPollerOptions, signal: AbortSignal): Promise<QueueMessage[]> {
  const messages = [...(await queue.receive(mapping.batchSize, longPollMs, signal))];
  if (messages.length === 0) return messages;
  const end = performance.now() + mapping.batchingWindowSeconds * 1_000;
  while (messages.length < mapping.batchSize) {
    const remainingMs = end - performance.now();
    if (remainingMs <= 0) break;
    messages.push(...(await queue.receive(mapping.batchSize - messages.length, remainingMs, signal)));
  }
  return messages;
}

/** Never rejects: after a failure the messages are received again. */
async function process(options: SqsPollerOptions, messages: readonly QueueMessage[]): Promise<void> {
  try {
    const result = await options.invoke(sqsEvent(options.mapping.queueArn, messages));
    const done = completedMessages(messages, result, options.mapping.reportsBatchItemFailures);
    await options.queue.delete(done);
  } catch (error) {
    options.onError(error);
  }
}
