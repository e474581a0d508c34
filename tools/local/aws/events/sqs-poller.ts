import { setTimeout as sleep } from 'node:timers/promises';
import type { SQSEvent } from 'aws-lambda';
import type { Pipe } from '../../template/function-model.ts';
import type { InvokeResult } from '../lambda/protocol.ts';
import { collectBatches, completedMessages } from './batch.ts';
import type { QueueReader } from './queue-reader.ts';
import { sqsEvent } from './sqs-event.ts';

export type SqsPollerOptions = {
  readonly mapping: Pipe;
  readonly queue: QueueReader;
  /** Never rejects. */
  readonly invoke: (event: SQSEvent) => Promise<InvokeResult>;
  /** Called when the queue cannot be reached; the poller keeps trying. */
  readonly onError: (error: unknown) => void;
};

export type RunningPoller = ReturnType<typeof startSqsPoller>;

/**
 * Lambda starts with five concurrent batches, and adds more while messages wait, each in an environment of its own. Here
 * one thread runs all batches of a function: with many of them at work, its calls to the emulators would wait for longer
 * than their time limit. So only a batch that waits for a receiver makes room for another one.
 */
const concurrentBatches = { working: 10, max: 50 } as const;

/** A batch that takes longer than this waits for a receiver. Milliseconds. */
const waitingAfter = 500;

const backoffMs = { first: 100, max: 5_000 };

/**
 * Feeds a function from a queue like Lambda's event source mapping: several concurrent batches, up to the mapping's
 * batch size and window. Deletes completed messages; failed ones wait for their visibility timeout.
 */
export function startSqsPoller(options: SqsPollerOptions) {
  const stop = new AbortController();
  const max = Math.min(concurrentBatches.max, options.mapping.maximumConcurrency ?? concurrentBatches.max);
  const polls = new Set<Promise<void>>();
  let waiting = 0;
  const room = () => Math.min(max, concurrentBatches.working + waiting) - polls.size;

  async function invoke(event: SQSEvent): Promise<InvokeResult> {
    let isWaiting = false;
    const timer = setTimeout(() => {
      isWaiting = true;
      waiting += 1;
      addPolls();
    }, waitingAfter);
    const result = await options.invoke(event);
    clearTimeout(timer);
    if (isWaiting) waiting -= 1;
    return result;
  }

  function addPolls(): void {
    while (room() > 0 && !stop.signal.aborted) {
      const running = poll({ ...options, invoke, isNeeded: () => room() >= 0 }, stop.signal);
      polls.add(running);
      void running.then(() => {
        polls.delete(running);
        addPolls();
      });
    }
  }

  addPolls();
  return {
    /** Stops receiving, and resolves when the batches in flight are done. */
    close: async () => {
      stop.abort();
      await Promise.all(polls);
    },
  };
}

type PollOptions = SqsPollerOptions & { readonly isNeeded: () => boolean };

/** Receives, invokes, and only then receives again. */
async function poll(options: PollOptions, signal: AbortSignal): Promise<void> {
  const { mapping, queue, invoke, isNeeded, onError } = options;
  let pauseMs = backoffMs.first;
  while (!signal.aborted && isNeeded()) {
    try {
      const batches = await collectBatches(mapping, queue, signal);
      pauseMs = backoffMs.first;
      for (const batch of batches) {
        const result = await invoke(sqsEvent(mapping.queueArn, batch));
        const completed = completedMessages(batch, result, mapping.reportsBatchItemFailures);
        // What is not deleted is received again.
        await queue.delete(completed).catch(onError);
      }
    } catch (error) {
      if (signal.aborted) return;
      onError(error);
      await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
      pauseMs = Math.min(backoffMs.max, pauseMs * 2);
    }
  }
}
