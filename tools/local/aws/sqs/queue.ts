import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { FairOrder } from './fair-order.ts';
import { FairShare } from './fair-share.ts';
import type { Message } from './message.ts';
import { MinHeap } from './min-heap.ts';
import { PollWaiters } from './poll-waiters.ts';
import type { QueueDatabase } from './queue-database.ts';

export type QueueAttributes = Readonly<Record<string, string>>;

export type ReceivedMessage = { readonly message: Message; readonly receiptHandle: string };

export type QueueOptions = {
  readonly name: string;
  readonly arn: string;
  /** Default: in memory. */
  readonly database: QueueDatabase | undefined;
  readonly findByArn: (arn: string) => Queue | undefined;
};

/** A message that nobody can receive before a time: a delayed one, or one in flight. */
type Hidden = {
  readonly message: Message;
  /** `null` for a delayed message. */
  readonly receiptHandle: string | null;
  /** Monotonic milliseconds of the receive. */
  readonly takenAt: number;
  /** Epoch milliseconds. */
  until: number;
  isOver: boolean;
};

const redrivePolicySchema = z.object({
  deadLetterTargetArn: z.string(),
  maxReceiveCount: z.coerce.number(),
});
type RedrivePolicy = z.infer<typeof redrivePolicySchema>;

const defaultAttributes: QueueAttributes = {
  VisibilityTimeout: '30',
  MessageRetentionPeriod: '345600',
  DelaySeconds: '0',
  MaximumMessageSize: '1048576',
  ReceiveMessageWaitTimeSeconds: '0',
};

/** Outdated timers are removed when there are at least this many, and three times as many as hidden messages. */
const compactFrom = 1_000;

/** A standard queue, served fairly. Its timer runs only while someone waits for a message. */
export class Queue {
  readonly name: string;
  readonly arn: string;
  readonly #options: QueueOptions;
  readonly #share = new FairShare();
  readonly #waiting = new FairOrder<Message>(this.#share);
  readonly #inFlight = new Map<string, Hidden>();
  readonly #waiters: PollWaiters;
  #timers = new MinHeap<Hidden>();
  #delayed = 0;
  #attributes = defaultAttributes;
  #redrivePolicy: RedrivePolicy | undefined;

  constructor(options: QueueOptions) {
    this.#options = options;
    this.name = options.name;
    this.arn = options.arn;
    this.#waiters = new PollWaiters({
      hasMessages: () => this.#waiting.size > 0,
      nextDue: () => this.#timers.firstKey,
      onDue: () => this.#showDue(),
    });
  }

  /** As they were set, and the counts of messages. */
  get attributes(): QueueAttributes {
    this.#showDue();
    return {
      ...this.#attributes,
      QueueArn: this.arn,
      ApproximateNumberOfMessages: String(this.#waiting.size),
      ApproximateNumberOfMessagesNotVisible: String(this.#inFlight.size),
      ApproximateNumberOfMessagesDelayed: String(this.#delayed),
    };
  }

  /** Value of an attribute that is a number; 0 for an unknown one. */
  number(name: string): number {
    return Number(this.#attributes[name] ?? 0);
  }

  /** @throws SyntaxError or ZodError when the redrive policy is malformed */
  setAttributes(attributes: QueueAttributes): void {
    const { RedrivePolicy = '' } = attributes;
    if (RedrivePolicy !== '') this.#redrivePolicy = redrivePolicySchema.parse(JSON.parse(RedrivePolicy));
    this.#attributes = { ...this.#attributes, ...attributes };
    this.#options.database?.storeQueue(this.name, this.#attributes);
  }

  send(message: Message): void {
    this.#options.database?.insert(this.name, message);
    this.restore(message);
  }

  /** Adds a message that the database has already. */
  restore(message: Message): void {
    if (message.delayedUntil <= Date.now()) {
      this.#show(message);
      return;
    }
    this.#delayed += 1;
    this.#hide({
      message,
      receiptHandle: null,
      takenAt: 0,
      until: message.delayedUntil,
      isOver: false,
    });
  }

  receive(max: number, visibilitySeconds = this.number('VisibilityTimeout')): readonly ReceivedMessage[] {
    this.#showDue();
    const received: ReceivedMessage[] = [];
    while (received.length < max) {
      const message = this.#waiting.take(performance.now());
      if (message === undefined) break;
      message.receiveCount += 1;
      message.firstReceivedAt ??= Date.now();
      if (!this.#moveToDeadLetters(message)) received.push(this.#hand(message, visibilitySeconds));
    }
    this.#waiters.wake();
    return received;
  }

  /** Resolves when there may be messages, after the time, or when the caller is gone. */
  waitForMessages(seconds: number, signal: AbortSignal | undefined): Promise<void> {
    return this.#waiters.wait(seconds * 1_000, signal);
  }

  endPolls(): void {
    this.#waiters.cancel();
  }

  /** Does nothing for a message that is no longer in flight under this handle. */
  delete(receiptHandle: string): void {
    const hidden = this.#inFlight.get(receiptHandle);
    if (hidden === undefined) return;
    this.#end(hidden);
    this.#share.finish(hidden.message.group, hidden.takenAt, performance.now());
    this.#options.database?.delete(hidden.message);
  }

  /** @returns whether the message is in flight */
  changeVisibility(receiptHandle: string, seconds: number): boolean {
    const hidden = this.#inFlight.get(receiptHandle);
    if (hidden === undefined) return false;
    hidden.until = Date.now() + seconds * 1_000;
    if (seconds === 0) this.#reveal(hidden);
    else this.#hide(hidden);
    return true;
  }

  #hand(message: Message, visibilitySeconds: number): ReceivedMessage {
    const receiptHandle = randomUUID();
    const until = Date.now() + visibilitySeconds * 1_000;
    const hidden = { message, receiptHandle, takenAt: performance.now(), until, isOver: false };
    this.#inFlight.set(receiptHandle, hidden);
    this.#share.take(message.group);
    this.#hide(hidden);
    this.#options.database?.update(message);
    return { message, receiptHandle };
  }

  #moveToDeadLetters(message: Message): boolean {
    const { deadLetterTargetArn = '', maxReceiveCount = 0 } = this.#redrivePolicy ?? {};
    const deadLetters = this.#options.findByArn(deadLetterTargetArn);
    if (deadLetters === undefined || message.receiveCount <= maxReceiveCount) return false;
    this.#options.database?.delete(message);
    deadLetters.send(message);
    return true;
  }

  #hide(hidden: Hidden): void {
    this.#timers.push(hidden.until, hidden);
    const live = this.#inFlight.size + this.#delayed;
    if (this.#timers.size >= compactFrom && this.#timers.size > 3 * live) this.#dropOutdated();
    this.#waiters.rearm();
  }

  /** Shows the messages whose delay or visibility timeout has passed. */
  #showDue(): void {
    const now = Date.now();
    while ((this.#timers.firstKey ?? Number.POSITIVE_INFINITY) <= now) {
      const hidden = this.#timers.pop();
      if (hidden !== undefined && !hidden.isOver && hidden.until <= now) this.#reveal(hidden);
    }
  }

  #reveal(hidden: Hidden): void {
    this.#end(hidden);
    if (hidden.receiptHandle === null) this.#delayed -= 1;
    else this.#share.giveBack(hidden.message.group);
    this.#show(hidden.message);
  }

  #end(hidden: Hidden): void {
    hidden.isOver = true;
    if (hidden.receiptHandle !== null) this.#inFlight.delete(hidden.receiptHandle);
  }

  #show(message: Message): void {
    this.#waiting.add(message.group, message);
    this.#waiters.wake();
  }

  /** A message that was deleted, or that is hidden for longer, leaves its timer behind. */
  #dropOutdated(): void {
    const kept = new MinHeap<Hidden>();
    for (let at = this.#timers.firstKey; at !== undefined; at = this.#timers.firstKey) {
      const hidden = this.#timers.pop();
      if (hidden !== undefined && !hidden.isOver && hidden.until === at) kept.push(at, hidden);
    }
    this.#timers = kept;
  }
}
