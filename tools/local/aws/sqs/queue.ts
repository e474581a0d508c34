import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { localArn } from '../../template/identities.ts';
import { FairOrder, FairShare } from './fair-queue.ts';
import type { Message } from './message.ts';
import type { QueueDatabase } from './queue-database.ts';

export type QueueAttributes = Readonly<Record<string, string>>;

type ReceivedMessage = { readonly message: Message; readonly receiptHandle: string };

/** A message that nobody can receive before a time: a delayed one, or one in flight. */
type Hidden = {
  readonly message: Message;
  /** Monotonic milliseconds of the receive; `null` for a delayed message. */
  readonly takenAt: number | null;
  /** Epoch milliseconds. */
  readonly until: number;
  readonly timer: NodeJS.Timeout;
};

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

/** A standard queue, served fairly. */
export class Queue {
  readonly name: string;
  readonly arn: string;
  readonly #database: QueueDatabase | undefined;
  readonly #findByArn: (arn: string) => Queue | undefined;
  readonly #share = new FairShare();
  readonly #waiting = new FairOrder<Message>(this.#share);
  /** By receipt handle, which nobody knows for a delayed message. */
  readonly #hidden = new Map<string, Hidden>();
  readonly #longPolls = new Set<LongPoll>();
  #attributes = defaultAttributes;
  #redrivePolicy: z.infer<typeof redrivePolicySchema> | undefined;

  /** @param database `undefined` for a queue in memory */
  constructor(
    name: string,
    database: QueueDatabase | undefined,
    findByArn: (arn: string) => Queue | undefined,
  ) {
    this.name = name;
    this.arn = localArn('sqs', name);
    this.#database = database;
    this.#findByArn = findByArn;
  }

  /** As they were set, and the counts of messages. */
  get attributes(): QueueAttributes {
    this.#showDue();
    const delayed = [...this.#hidden.values()].filter(({ takenAt }) => takenAt === null).length;
    return {
      ...this.#attributes,
      QueueArn: this.arn,
      ApproximateNumberOfMessages: String(this.#waiting.size),
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

  send(message: Message): void {
    this.#database?.insert(this.name, message);
    this.restore(message);
  }

  /** Adds a message that the database has already. */
  restore(message: Message): void {
    const delayMs = message.delayedUntil - Date.now();
    if (delayMs <= 0) this.#show(message);
    else this.#hide(randomUUID(), message, null, delayMs);
  }

  receive(max: number, visibilitySeconds = this.number('VisibilityTimeout')): readonly ReceivedMessage[] {
    this.#showDue();
    const received: ReceivedMessage[] = [];
    while (received.length < max) {
      const message = this.#waiting.take(performance.now());
      if (message === undefined) break;
      message.receiveCount += 1;
      message.firstReceivedAt ??= Date.now();
      if (this.#moveToDeadLetters(message)) continue;
      const receiptHandle = randomUUID();
      this.#share.take(message.group);
      this.#hide(receiptHandle, message, performance.now(), visibilitySeconds * 1_000);
      this.#database?.update(message);
      received.push({ message, receiptHandle });
    }
    return received;
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
      clearTimeout(timer);
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
    const timer = setTimeout(longPoll.end, waitSeconds * 1_000);
    signal?.addEventListener('abort', longPoll.end);
    this.#longPolls.add(longPoll);
    return await promise;
  }

  /** Does nothing for a message that is no longer in flight under this handle. */
  delete(receiptHandle: string): void {
    const hidden = this.#end(receiptHandle);
    if (hidden === undefined) return;
    const { message, takenAt } = hidden;
    if (takenAt !== null) this.#share.finish(message.group, takenAt, performance.now());
    this.#database?.delete(message);
  }

  /** @returns whether the message is in flight */
  changeVisibility(receiptHandle: string, seconds: number): boolean {
    const hidden = this.#end(receiptHandle);
    if (hidden === undefined) return false;
    this.#hide(receiptHandle, hidden.message, hidden.takenAt, seconds * 1_000);
    if (seconds === 0) this.#reveal(receiptHandle);
    return true;
  }

  /** Ends all timers and long polls. */
  close(): void {
    for (const { timer } of this.#hidden.values()) clearTimeout(timer);
    for (const { end } of this.#longPolls) end();
  }

  #moveToDeadLetters(message: Message): boolean {
    const { deadLetterTargetArn = '', maxReceiveCount = 0 } = this.#redrivePolicy ?? {};
    const deadLetters = this.#findByArn(deadLetterTargetArn);
    if (deadLetters === undefined || message.receiveCount <= maxReceiveCount) return false;
    this.#database?.delete(message);
    deadLetters.send(message);
    return true;
  }

  #hide(receiptHandle: string, message: Message, takenAt: number | null, ms: number): void {
    const timer = setTimeout(() => this.#reveal(receiptHandle), ms).unref();
    this.#hidden.set(receiptHandle, { message, takenAt, until: Date.now() + ms, timer });
  }

  /** Timers stand still while the machine sleeps; the clock does not. */
  #showDue(): void {
    const now = Date.now();
    for (const [receiptHandle, { until }] of this.#hidden) {
      if (until <= now) this.#reveal(receiptHandle);
    }
  }

  /** Makes a message visible whose delay or visibility timeout is over. */
  #reveal(receiptHandle: string): void {
    const hidden = this.#end(receiptHandle);
    if (hidden === undefined) return;
    if (hidden.takenAt !== null) this.#share.giveBack(hidden.message.group);
    this.#show(hidden.message);
  }

  #end(receiptHandle: string): Hidden | undefined {
    const hidden = this.#hidden.get(receiptHandle);
    clearTimeout(hidden?.timer);
    this.#hidden.delete(receiptHandle);
    return hidden;
  }

  #show(message: Message): void {
    this.#waiting.add(message.group, message);
    // All messages of one call arrive first.
    if (this.#longPolls.size > 0) queueMicrotask(() => this.#serveLongPolls());
  }

  #serveLongPolls(): void {
    for (const { receive } of this.#longPolls) {
      if (this.#waiting.size > 0) receive();
    }
  }
}
