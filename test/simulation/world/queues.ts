import { maxMessageBytes } from '#shared/aws/queues/send-to-dead-letters.ts';
import type { WaitingMessages } from '../../../tools/local/aws/sqs/fair-queue.ts';
import { type Message, sizeOf } from '../../../tools/local/aws/sqs/message.ts';
import { Queue } from '../../../tools/local/aws/sqs/queue.ts';
import type { Host } from './invocation.ts';
import type { Random } from './random.ts';
import { clockOf } from './timeline.ts';

export type QueueSettings = {
  /** Milliseconds for which a received message is hidden from others. */
  readonly visibility: number;
  /** After this many receives, a message moves to the dead letters. */
  readonly maxReceiveCount: number;
  /** Called with each message that a function sends. @throws AwsError when the queue refuses it */
  readonly onSent: (message: Message) => void;
};

export type DeadLetter = { readonly body: string; readonly reason: string | null };

/** Serves waiting messages in any order: SQS promises none. */
class AnyOrder implements WaitingMessages<Message> {
  readonly #random: Random;
  /** By their ids. */
  #messages: Message[] = [];

  constructor(random: Random) {
    this.#random = random;
  }

  get size(): number {
    return this.#messages.length;
  }

  get all(): readonly Message[] {
    return this.#messages;
  }

  add(message: Message): void {
    const place = this.#messages.findLastIndex(({ id }) => Number(id) < Number(message.id));
    this.#messages.splice(place + 1, 0, message);
  }

  take(max: number): readonly Message[] {
    const taken = this.#random.shuffled(this.#messages).slice(0, max);
    this.#messages = this.#messages.filter((message) => !taken.includes(message));
    return taken;
  }

  end(): void {}
}

/** A queue of the local SQS in virtual time, with its dead letters. */
export class SimulatedQueue extends Queue {
  readonly #deadLetters: Queue;
  readonly #onSent: QueueSettings['onSent'];

  /** @param sharing the queue whose dead letters are also those of this one */
  constructor(name: string, settings: QueueSettings, { timeline, random }: Host, sharing?: SimulatedQueue) {
    const { visibility, maxReceiveCount, onSent } = settings;
    const clock = clockOf(timeline);
    const deadLetters = sharing === undefined ? new Queue('dead-letters', { clock }) : sharing.#deadLetters;
    let ids = 0;
    const makeId = () => String(++ids);
    super(name, { clock, makeId, waiting: new AnyOrder(random), findByArn: () => deadLetters });
    this.#deadLetters = deadLetters;
    this.#onSent = onSent;
    const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: deadLetters.arn, maxReceiveCount });
    this.setAttributes({ VisibilityTimeout: String(visibility / 1000), RedrivePolicy });
  }

  /** A message that a function sends is put here unless a fault strikes. */
  override send(message: Message): void {
    this.#onSent(message);
  }

  put(message: Message): void {
    super.send(message);
  }

  /** The messages that are neither deleted nor dead letters. */
  get bodies(): readonly string[] {
    return this.messages.map(({ body }) => body);
  }

  get deadLetters(): readonly DeadLetter[] {
    return this.#deadLetters.messages.map(toDeadLetter);
  }

  /** Puts a message among the dead letters, with the reason beside it as an attribute. */
  bury({ body, reason }: DeadLetter): void {
    const attributes = reason === null ? {} : { reason: { DataType: 'String', StringValue: reason } };
    if (sizeOf(body, attributes) > maxMessageBytes) throw new Error('The message is too large');
    this.#deadLetters.send(this.newMessage({ body, attributes }));
  }

  /** Puts the dead letters that are `isGood` back. @returns how many */
  redrive(isGood: (letter: DeadLetter) => boolean): number {
    let count = 0;
    for (const { message, receiptHandle } of this.#deadLetters.receive(Number.POSITIVE_INFINITY)) {
      if (!isGood(toDeadLetter(message))) {
        this.#deadLetters.changeVisibility(receiptHandle, 0);
        continue;
      }
      this.#deadLetters.delete(receiptHandle);
      this.put(this.newMessage({ body: message.body }));
      count += 1;
    }
    return count;
  }
}

function toDeadLetter({ body, attributes }: Message): DeadLetter {
  return { body, reason: attributes.reason?.StringValue ?? null };
}
