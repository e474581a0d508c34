import { setTimeout as sleep } from 'node:timers/promises';
import type { SQSEvent } from 'aws-lambda';
import type { Pipe } from '../../template/function-model.ts';
import type { InvokeResult } from '../lambda/protocol.ts';
import { collectBatches, completedMessages } from './batch.ts';
import type { QueueReader } from './queue-reader.ts';
import { sqsEvent } from './sqs-event.ts';
import { Turns } from './turns.ts';

export type SqsPollerOptions = {
  readonly mapping: Pipe;
  readonly queue: QueueReader;
  /** Never rejects. */
  readonly invoke: (event: SQSEvent) => Promise<InvokeResult>;
  /** Whether the machine has a processor to spare. */
  readonly hasIdleProcessor: () => boolean;
  /** Called when the queue cannot be reached; the poller keeps trying. */
  readonly onError: (error: unknown) => void;
};

export type RunningPoller = ReturnType<typeof startSqsPoller>;

/**
 * Lambda starts with five concurrent batches, and adds more while messages wait, each in an environment of its own. Here
 * all batches share the processors of one machine: more of them at work would end no sooner, and a message of another
 * customer would wait for all of them. So only a batch that waits for a receiver makes room for another one. More are
 * received than are at work, because the queue tells a burst by what it has in flight.
 */
const concurrentBatches = { atWork: 3, received: 10, max: 50 } as const;

/** A batch that takes longer than this waits for a receiver, unless the processors are busy. Milliseconds. */
const waitingAfter = 100;

/** One that takes longer than this waits even so: none has that much work. */
const surelyWaitingAfter = 300;

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
  const room = () => Math.min(max, concurrentBatches.received + waiting) - polls.size;
  const turns = new Turns(() => Math.min(max, concurrentBatches.atWork + waiting));

  async function invoke(event: SQSEvent): Promise<InvokeResult> {
    let isWaiting = false;
    let tookMs = 0;
    const timer = setInterval(() => {
      tookMs += waitingAfter;
      if (tookMs < surelyWaitingAfter && !options.hasIdleProcessor()) return;
      clearInterval(timer);
      isWaiting = true;
      waiting += 1;
      turns.next();
      addPolls();
    }, waitingAfter);
    const result = await options.invoke(event);
    clearInterval(timer);
    if (isWaiting) waiting -= 1;
    return result;
  }

  function inTurn(event: SQSEvent): Promise<InvokeResult> {
    const groups = event.Records.map(({ messageId, attributes }) => attributes.MessageGroupId ?? messageId);
    return turns.take(new Set(groups), () => invoke(event));
  }

  function addPolls(): void {
    while (room() > 0 && !stop.signal.aborted) {
      const running = poll({ ...options, invoke: inTurn, isNeeded: () => room() >= 0 }, stop.signal);
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
