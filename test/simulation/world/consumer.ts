import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import type { MemoryQueue, Received } from '../../support/memory/queue.ts';
import type { Host, Invocation } from './invocation.ts';

export type ConsumerSettings = {
  /** Milliseconds for which a received message stays hidden. */
  readonly visibility: number;
  readonly batchSize: number;
  /** Milliseconds for which a batch is collected before its function starts. */
  readonly batchWindow: number;
  readonly start: () => {
    readonly invocation: Invocation;
    readonly handler: (event: SQSEvent) => Promise<SQSBatchResponse>;
  };
  /** Called for a message that is received while the function that received it last still works. */
  readonly onOverlap: (body: string) => void;
};

/**
 * Lambda's poller of one queue. It starts a function for each batch, without a limit on concurrency. It deletes the
 * messages that a function does not report as failed; the messages of a dead function become visible again.
 */
export class Consumer {
  readonly #host: Host;
  readonly #queue: MemoryQueue;
  readonly #settings: ConsumerSettings;
  readonly #holders = new Map<string, Invocation>();

  constructor(host: Host, queue: MemoryQueue, settings: ConsumerSettings) {
    this.#host = host;
    this.#queue = queue;
    this.#settings = settings;
  }

  /** There may be a message in that many milliseconds. */
  expect(delay: number): void {
    const { timeline, random } = this.#host;
    const { batchWindow } = this.#settings;
    const collecting = batchWindow === 0 ? 0 : random.below(batchWindow);
    timeline.after(delay + collecting + random.between(1, 50), () => this.#poll());
  }

  #poll(): void {
    const { random, faults } = this.#host;
    const { batchSize } = this.#settings;
    const limit = random.oneIn(2) ? batchSize : Math.min(batchSize, random.between(1, 3));
    const received = this.#queue.receive(limit, (all) => random.shuffled(all));
    if (received.length === 0) return;
    this.expect(this.#settings.visibility);
    if (this.#queue.nextVisibleAt <= this.#host.timeline.now) this.expect(0);
    const arrived = received.filter(() => faults.next('receive') === null);
    if (arrived.length > 0) this.#work(arrived);
  }

  #work(messages: readonly Received[]): void {
    const { invocation, handler } = this.#settings.start();
    for (const { id, body } of messages) {
      if (this.#holders.get(id)?.alive === true) this.#settings.onOverlap(body);
      this.#holders.set(id, invocation);
    }
    invocation.run(
      () => handler(toEvent(messages)),
      (outcome) => {
        if (outcome.ok) this.#deleteDone(messages, outcome.value.batchItemFailures);
      },
    );
  }

  #deleteDone(messages: readonly Received[], failures: readonly { readonly itemIdentifier: string }[]): void {
    const failed = new Set(failures.map(({ itemIdentifier }) => itemIdentifier));
    for (const { id, handle } of messages) {
      if (failed.has(id) || this.#host.faults.next('deletion') !== null) continue;
      this.#queue.delete(handle);
    }
  }
}

const noAttributes: Omit<SQSRecord, 'messageId' | 'body' | 'receiptHandle' | 'attributes'> = {
  messageAttributes: {},
  md5OfBody: '',
  eventSource: 'aws:sqs',
  eventSourceARN: '',
  awsRegion: '',
};

function toEvent(messages: readonly Received[]): SQSEvent {
  return {
    Records: messages.map(({ id, body, handle, receives, sentAt }) => ({
      ...noAttributes,
      messageId: id,
      body,
      receiptHandle: handle,
      attributes: {
        ApproximateReceiveCount: String(receives),
        SentTimestamp: String(sentAt),
        SenderId: '',
        ApproximateFirstReceiveTimestamp: '0',
      },
    })),
  };
}
