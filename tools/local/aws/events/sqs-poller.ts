import { setTimeout as sleep } from 'node:timers/promises';
import type { SQSEvent } from 'aws-lambda';
import type { EventSourceMapping } from '../../template/function-model.ts';
import type { InvokeResult } from '../lambda/protocol.ts';
import { collectBatch } from './batch-collector.ts';
import { completedMessages } from './batch-outcome.ts';
import type { QueueReader } from './queue-reader.ts';
import { watchSpareTime } from './spare-time.ts';
import { type QueueMessage, sqsEvent } from './sqs-records.ts';

export type SqsPollerOptions = {
  readonly mapping: EventSourceMapping;
  readonly queue: QueueReader;
  readonly invoke: (event: SQSEvent) => Promise<InvokeResult>;
  /** Called when the queue cannot be reached; the poller keeps trying. */
  readonly onError: (error: unknown) => void;
  /** Whether the machine can do more work at once. Default: while a tenth of its processor time is idle. */
  readonly hasSpareTime?: () => boolean;
};

export type RunningPoller = {
  /** Batches in flight. */
  readonly inFlight: () => number;
  /** Batches that the poller can have in flight now. */
  readonly concurrency: () => number;
  /** Stops receiving, and resolves when the batches in flight are done. */
  readonly close: () => Promise<void>;
};

/**
 * How Lambda scales the mapping of a standard queue: it starts with five concurrent batches, and adds up to 300 a
 * minute while messages wait. Without a maximum it keeps two pollers when idle.
 * https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-scaling.html
 */
const scaling = { initial: 5, idleWithoutMaximum: 2, growthEveryMs: 200 } as const;

/**
 * Lambda allows 1,250, each in an environment of its own. Here one thread runs all batches of a function: with more of
 * them, its calls to the emulators would wait for longer than their time limit.
 */
const maxConcurrency = 50;

/** A poll that lasts this long found no waiting message. */
const idlePollMs = 50;
const backoffMs = { first: 100, max: 5_000 };

/**
 * Feeds a function from a queue like Lambda's event source mapping: several concurrent batches, up to the mapping's
 * batch size and window. Deletes completed messages; failed ones wait for their visibility timeout.
 */
export function startSqsPoller(options: SqsPollerOptions): RunningPoller {
  const poller = new SqsPoller(options);
  return {
    inFlight: () => poller.inFlight,
    concurrency: () => poller.concurrency,
    close: () => poller.close(),
  };
}

/** One concurrent batch: receives, invokes, and only then receives again. */
type Lane = {
  /** Start of the poll for a first message, in milliseconds; `null` while the lane has messages. */
  polledSince: number | null;
};

class SqsPoller {
  readonly #options: SqsPollerOptions;
  readonly #stop = new AbortController();
  readonly #lanes = new Map<Lane, Promise<void>>();
  readonly #maximum: number;
  readonly #minimum: number;
  readonly #hasSpareTime: () => boolean;
  #inFlight = 0;
  #growth: NodeJS.Timeout | undefined;
  #shrunkAt = 0;

  constructor(options: SqsPollerOptions) {
    this.#options = options;
    const { maximumConcurrency } = options.mapping;
    this.#maximum = Math.min(maxConcurrency, maximumConcurrency ?? maxConcurrency);
    this.#hasSpareTime = options.hasSpareTime ?? watchSpareTime();
    this.#minimum = maximumConcurrency === undefined ? scaling.idleWithoutMaximum : scaling.initial;
    for (let lane = 0; lane < Math.min(scaling.initial, this.#maximum); lane += 1) this.#addLane();
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  get concurrency(): number {
    return this.#lanes.size;
  }

  async close(): Promise<void> {
    this.#stop.abort();
    clearTimeout(this.#growth);
    await Promise.all(this.#lanes.values());
  }

  #addLane(): void {
    const lane: Lane = { polledSince: null };
    this.#lanes.set(
      lane,
      this.#run(lane).finally(() => this.#lanes.delete(lane)),
    );
  }

  async #run(lane: Lane): Promise<void> {
    const { signal } = this.#stop;
    let pauseMs = backoffMs.first;
    while (!signal.aborted) {
      try {
        lane.polledSince = performance.now();
        const onFirst = () => {
          lane.polledSince = null;
        };
        const batches = await collectBatch({ ...this.#options, signal, onFirst });
        pauseMs = backoffMs.first;
        if (batches.length === 0 && this.#lanes.size > this.#minimum) return;
        for (const batch of batches) await this.#process(batch);
        if (this.#isTooMany()) return;
      } catch (error) {
        if (signal.aborted) return;
        this.#options.onError(error);
        await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
        pauseMs = Math.min(backoffMs.max, pauseMs * 2);
      }
    }
  }

  /** Never rejects: after a failure the messages are received again. */
  async #process(messages: readonly QueueMessage[]): Promise<void> {
    const { mapping, queue, invoke, onError } = this.#options;
    this.#inFlight += 1;
    this.#watchGrowth();
    try {
      const result = await invoke(sqsEvent(mapping.queueArn, messages));
      await queue.delete(completedMessages(messages, result, mapping.reportsBatchItemFailures));
    } catch (error) {
      onError(error);
    } finally {
      this.#inFlight -= 1;
    }
  }

  /** Lambda adds machines to a growing mapping. This one machine has none to add. */
  #isTooMany(): boolean {
    if (this.#lanes.size <= scaling.initial || this.#hasSpareTime()) return false;
    const now = performance.now();
    if (now - this.#shrunkAt < scaling.growthEveryMs) return false;
    this.#shrunkAt = now;
    return true;
  }

  /** While every lane is busy, adds one at a time. A lane that finds no message ends the growth. */
  #watchGrowth(): void {
    if (this.#growth !== undefined || this.#lanes.size >= this.#maximum || !this.#isSaturated()) return;
    this.#growth = setTimeout(() => {
      this.#growth = undefined;
      if (this.#stop.signal.aborted || !this.#isSaturated()) return;
      if (this.#hasSpareTime()) this.#addLane();
      this.#watchGrowth();
    }, scaling.growthEveryMs);
  }

  #isSaturated(): boolean {
    const now = performance.now();
    for (const { polledSince } of this.#lanes.keys()) {
      if (polledSince !== null && now - polledSince >= idlePollMs) return false;
    }
    return true;
  }
}
