import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { localArn } from '../../template/identities.ts';
import { type Clock, systemClock } from '../clock.ts';
import { FairOrder, type WaitingMessages } from './fair-queue.ts';
import { type Hidden, HiddenMessages } from './hidden-messages.ts';
import { type Message, type NewMessage, newMessage } from './message.ts';
import type { QueueDatabase } from './queue-database.ts';

export type QueueAttributes = Readonly<Record<string, string>>;

export type ReceivedMessage = { readonly message: Message; readonly receiptHandle: string };

type LongPoll = { readonly receive: () => void; readonly end: () => void };

const redrivePolicySchema = z.object({
  deadLetterTargetArn: z.string(),
  maxReceiveCount: z.coerce.number(),
});

const defaultAttributes: QueueAttributes = {
  VisibilityTimeout: '30',
  MessageRetentionPeriod: '345600',
  DelaySeconds: '0',
  MaximumMessageSize: '1048576',
  ReceiveMessageWaitTimeSeconds: '0',
};

export type QueueOptions = {
  readonly clock?: Clock;
  /** Default: messages are kept in memory only. */
  readonly database?: QueueDatabase | undefined;
  /** Where dead letters go. */
  readonly findByArn?: (arn: string) => Queue | undefined;
  /** SQS promises no order. Default: the fair one. */
  readonly waiting?: WaitingMessages<Message>;
  /** Makes ids of messages and receipt handles. */
  readonly makeId?: () => string;
};

/** A standard queue. */
export class Queue {
  readonly name: string;
  readonly arn: string;
  readonly #clock: Clock;
  readonly #database: QueueDatabase | undefined;
  readonly #findByArn: (arn: string) => Queue | undefined;
  readonly #waiting: WaitingMessages<Message>;
  readonly #makeId: () => string;
  readonly #hidden = new HiddenMessages();
  readonly #longPolls = new Set<LongPoll>();
  #cancelTimer = () => {};
  #attributes = defaultAttributes;
  #redrivePolicy: z.infer<typeof redrivePolicySchema> | undefined;

  constructor(name: string, options: QueueOptions = {}) {
    const { clock = systemClock, database, findByArn = () => undefined, waiting = new FairOrder() } = options;
    this.name = name;
    this.arn = localArn('sqs', name);
    this.#clock = clock;
    this.#database = database;
    this.#findByArn = findByArn;
    this.#waiting = waiting;
    this.#makeId = options.makeId ?? randomUUID;
  }

  /** All messages that were sent and not deleted. */
  get messages(): readonly Message[] {
    return [...this.#waiting.all, ...this.#hidden.messages];
  }

  /** How many messages can be received now. */
  get visible(): number {
    this.#showDue();
    return this.#waiting.size;
  }

  /** As they were set, and the counts of messages. */
  get attributes(): QueueAttributes {
    const { visible } = this;
    const { delayed } = this.#hidden;
    return {
      ...this.#attributes,
      QueueArn: this.arn,
      ApproximateNumberOfMessages: String(visible),
      ApproximateNumberOfMessagesNotVisible: String(this.#hidden.size - delayed),
      ApproximateNumberOfMessagesDelayed: String(delayed),
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
    this.#database?.storeQueue(this.name, this.#attributes);
  }

  /** A message that is sent now, with the delay of this queue unless it has its own. */
  newMessage(given: NewMessage): Message {
    const delaySeconds = given.delaySeconds ?? this.number('DelaySeconds');
    return newMessage(this.#makeId(), { ...given, delaySeconds }, this.#clock.now());
  }

  send(message: Message): void {
    this.#database?.insert(this.name, message);
    this.restore(message);
  }

  /** Adds a message that the database has already. */
  restore(message: Message): void {
    if (message.delayedUntil <= this.#clock.now()) this.#show(message);
    else this.#hide(this.#makeId(), { message, isTaken: false, until: message.delayedUntil });
  }

  receive(max: number, visibilitySeconds = this.number('VisibilityTimeout')): readonly ReceivedMessage[] {
    this.#showDue();
    const now = this.#clock.now();
    return this.#waiting.take(max).map((message) => {
      message.receiveCount += 1;
      message.firstReceivedAt ??= now;
      const receiptHandle = this.#makeId();
      this.#hide(receiptHandle, { message, isTaken: true, until: now + visibilitySeconds * 1_000 });
      this.#database?.update(message);
      return { message, receiptHandle };
    });
  }

  /**
   * Like `receive`, but waits for a first message until the time is over or the caller is gone. A caller that is gone
   * already receives nothing, so that its messages are not hidden.
   */
  async longPoll(
    max: number,
    visibilitySeconds: number | undefined,
    waitSeconds: number,
    signal: AbortSignal | undefined,
  ): Promise<readonly ReceivedMessage[]> {
    if (signal?.aborted === true) return [];
    const first = this.receive(max, visibilitySeconds);
    if (first.length > 0 || waitSeconds === 0) return first;
    const { promise, resolve } = Promise.withResolvers<readonly ReceivedMessage[]>();
    const end = (received: readonly ReceivedMessage[]) => {
      cancelTimer();
      signal?.removeEventListener('abort', longPoll.end);
      this.#longPolls.delete(longPoll);
      resolve(received);
    };
    const longPoll: LongPoll = {
      receive: () => {
        const received = this.receive(max, visibilitySeconds);
        if (received.length > 0) end(received);
      },
      end: () => end([]),
    };
    const cancelTimer = this.#clock.setTimer(longPoll.end, waitSeconds * 1_000);
    signal?.addEventListener('abort', longPoll.end);
    this.#longPolls.add(longPoll);
    this.#awaitDue();
    return await promise;
  }

  /** Does nothing for a message that is no longer in flight under this handle. */
  delete(receiptHandle: string): void {
    const hidden = this.#end(receiptHandle);
    if (hidden !== undefined) this.#database?.delete(hidden.message);
  }

  /** @returns whether the message is in flight */
  changeVisibility(receiptHandle: string, seconds: number): boolean {
    const hidden = this.#hidden.get(receiptHandle);
    if (hidden === undefined) return false;
    this.#hide(receiptHandle, { ...hidden, until: this.#clock.now() + seconds * 1_000 });
    this.#showDue();
    return true;
  }

  /** Ends all timers and long polls. */
  close(): void {
    for (const { end } of this.#longPolls) end();
    this.#cancelTimer();
  }

  #hide(receiptHandle: string, hidden: Hidden): void {
    const { nextDue } = this.#hidden;
    this.#hidden.set(receiptHandle, hidden);
    if (hidden.until < nextDue) this.#awaitDue();
  }

  /** Makes the messages visible whose delay or visibility timeout is over. */
  #showDue(): void {
    const now = this.#clock.now();
    if (now < this.#hidden.nextDue) return;
    for (const receiptHandle of this.#hidden.due(now)) {
      const hidden = this.#end(receiptHandle);
      if (hidden !== undefined) this.#show(hidden.message);
    }
    this.#awaitDue();
  }

  /** Only a long poll has to learn of a due message at once. */
  #awaitDue(): void {
    this.#cancelTimer();
    const { nextDue } = this.#hidden;
    if (this.#longPolls.size === 0 || nextDue === Number.POSITIVE_INFINITY) return;
    this.#cancelTimer = this.#clock.setTimer(() => this.#showDue(), nextDue - this.#clock.now());
  }

  #end(receiptHandle: string): Hidden | undefined {
    const hidden = this.#hidden.get(receiptHandle);
    this.#hidden.delete(receiptHandle);
    if (hidden?.isTaken) this.#waiting.end(hidden.message);
    return hidden;
  }

  /** Makes a message visible, or a dead letter of one that was received too often. */
  #show(message: Message): void {
    const { deadLetterTargetArn = '', maxReceiveCount = 0 } = this.#redrivePolicy ?? {};
    const deadLetters = this.#findByArn(deadLetterTargetArn);
    if (deadLetters !== undefined && message.receiveCount >= maxReceiveCount) {
      this.#database?.delete(message);
      deadLetters.send(message);
      return;
    }
    this.#waiting.add(message);
    // All messages of one call arrive first.
    if (this.#longPolls.size > 0) queueMicrotask(() => this.#serveLongPolls());
  }

  #serveLongPolls(): void {
    for (const { receive } of this.#longPolls) {
      if (this.#waiting.size > 0) receive();
    }
  }
}
