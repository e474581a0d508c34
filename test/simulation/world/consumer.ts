import type { SQSBatchResponse } from 'aws-lambda';
import { fittingReason } from '#shared/aws/queues/send-to-dead-letters.ts';
import { slowLane } from '../../../lib/functions/queue-functions.ts';
import { sqsEvent } from '../../../tools/local/aws/events/sqs-event.ts';
import type { ReceivedMessage } from '../../../tools/local/aws/sqs/queue.ts';
import { type FunctionName, type QueuePorts, queueFunctions } from './functions.ts';
import type { Invocation } from './invocation.ts';
import type { Backend, PortPatch, Ports } from './ports.ts';
import type { QueueName } from './script.ts';

/** Changes to the world; only mutants and traces use them. */
export type WorldOptions = {
  readonly patch?: PortPatch;
  /** Milliseconds; as deployed unless given. */
  readonly visibility?: number;
  readonly respond?: (response: SQSBatchResponse) => SQSBatchResponse;
  /** The reason, or the part of it, that a dead letter gets beside its body. */
  readonly reasonBeside?: (body: string, reason: string) => string | null;
  /** The remaining milliseconds that a function is shown. */
  readonly timeLeft?: (left: number) => number;
  /** Whether the client gives each transaction a request token; it does unless given. */
  readonly sendsTokens?: boolean;
  /** Requests that an attempt sends on kept connections before it opens one; 1 unless given. */
  readonly requestsOnKept?: number;
  /** How many functions of a queue may run at once; any number unless given. @param now epoch milliseconds */
  readonly concurrency?: (now: number) => number;
  /** Answers every event in place of the script: when an arriving request is answered with 200. */
  readonly answerAt?: (arrivesAt: number) => number;
  readonly trace?: (time: number, line: string) => void;
};

type World = Backend & {
  readonly options: WorldOptions;
  /** Milliseconds for which a received message stays hidden. */
  readonly visibility: number;
  start(name: FunctionName): Invocation;
  connect(invocation: Invocation): Ports;
  /** A message was received while the function that received it last still works. */
  onOverlap(body: string): void;
};

/** `batchWindow`: milliseconds for which a batch is collected before its function starts. */
const consuming = {
  intake: { name: 'intake', batchSize: 10, batchWindow: 0 },
  delivery: { name: 'deliver', batchSize: 10, batchWindow: 0 },
  slowDelivery: {
    name: 'deliverSlow',
    batchSize: slowLane.batchSize,
    batchWindow: slowLane.batchWindow * 1000,
  },
  replay: { name: 'replayStep', batchSize: 1, batchWindow: 0 },
} as const satisfies Readonly<Record<QueueName, unknown>>;

/**
 * Lambda's poller of one queue. It starts a function for each batch, without a limit on concurrency. It deletes the
 * messages that a function does not report as failed; the messages of a dead function become visible again.
 */
export class Consumer {
  readonly #world: World;
  readonly #settings: (typeof consuming)[QueueName];
  readonly #queue: World['queues'][QueueName];
  readonly #holders = new Map<string, Invocation>();
  #running: Invocation[] = [];

  constructor(world: World, queue: QueueName) {
    this.#world = world;
    this.#settings = consuming[queue];
    this.#queue = world.queues[queue];
  }

  /** There may be a message in that many milliseconds. */
  expect(delay: number): void {
    const { timeline, random } = this.#world;
    const { batchWindow } = this.#settings;
    const collecting = batchWindow === 0 ? 0 : random.below(batchWindow);
    timeline.after(delay + collecting + random.between(1, 50), () => this.#poll());
  }

  #poll(): void {
    const { random, faults, visibility } = this.#world;
    const { batchSize } = this.#settings;
    if (!this.#hasRoom()) {
      this.expect(100);
      return;
    }
    const limit = random.oneIn(2) ? batchSize : Math.min(batchSize, random.between(1, 3));
    const received = this.#queue.receive(limit);
    if (received.length === 0) return;
    this.expect(visibility);
    if (this.#queue.visible > 0) this.expect(0);
    const arrived = received.filter(() => faults.next('receive') === null);
    if (arrived.length > 0) this.#work(arrived);
  }

  #hasRoom(): boolean {
    const { timeline, options } = this.#world;
    if (options.concurrency === undefined) return true;
    this.#running = this.#running.filter(({ alive }) => alive);
    return this.#running.length < options.concurrency(timeline.now);
  }

  #work(messages: readonly ReceivedMessage[]): void {
    const { timeLeft = (left) => left, respond = (response) => response } = this.#world.options;
    const invocation = this.#world.start(this.#settings.name);
    this.#running.push(invocation);
    const ports = this.#world.connect(invocation);
    const handler = queueFunctions[this.#settings.name](ports, this.#queuePorts(invocation, messages));
    const context = { getRemainingTimeInMillis: () => timeLeft(invocation.timeLeft()) };
    for (const {
      message: { id, body },
    } of messages) {
      if (this.#holders.get(id)?.alive === true) this.#world.onOverlap(body);
      this.#holders.set(id, invocation);
    }
    invocation.run(
      async () => respond(await handler(toEvent(messages), context)),
      (outcome) => {
        if (outcome.ok) this.#deleteDone(messages, outcome.value.batchItemFailures);
      },
    );
  }

  #queuePorts(invocation: Invocation, received: readonly ReceivedMessage[]): QueuePorts {
    const { io } = invocation;
    const { timeline, journal, options } = this.#world;
    const { reasonBeside = fittingReason } = options;
    const byHandle = new Map(received.map(({ message, receiptHandle }) => [receiptHandle, message]));
    return {
      sendToDeadLetters: (body, reason) =>
        io({ service: 'queue', name: 'bury' }, () => this.#queue.bury({ body, reason: reasonBeside(body, reason) })),
      returnMessages: (messages) =>
        io({ service: 'queue', name: `return ${messages.length}` }, () => {
          for (const { receiptHandle, waitSeconds } of messages) {
            const milliseconds = waitSeconds * 1000;
            const { id = '', body = '' } = byHandle.get(receiptHandle) ?? {};
            journal.returned.push({ at: timeline.now, invocation, body, milliseconds });
            // The response may be slow, and another function may get the message before it.
            this.#holders.delete(id);
            this.#queue.changeVisibility(receiptHandle, waitSeconds);
            this.expect(milliseconds);
          }
        }),
    };
  }

  #deleteDone(messages: readonly ReceivedMessage[], failures: readonly { readonly itemIdentifier: string }[]): void {
    const failed = new Set(failures.map(({ itemIdentifier }) => itemIdentifier));
    for (const {
      message: { id },
      receiptHandle,
    } of messages) {
      if (failed.has(id) || this.#world.faults.next('deletion') !== null) continue;
      this.#queue.delete(receiptHandle);
    }
  }
}

function toEvent(messages: readonly ReceivedMessage[]) {
  const none = { MessageAttributes: {}, MD5OfBody: '' };
  const sent = messages.map(({ message: { id, body, receiveCount, sentAt }, receiptHandle }) => {
    const Attributes = { ApproximateReceiveCount: String(receiveCount), SentTimestamp: String(sentAt) };
    return { ...none, MessageId: id, Body: body, ReceiptHandle: receiptHandle, Attributes };
  });
  return sqsEvent('', sent);
}
