import { maxMessageBytes } from '#shared/aws/queues/send-to-dead-letters.ts';
import type { WaitingMessages } from '../../../tools/local/aws/sqs/fair-queue.ts';
import { type Message, sizeOf } from '../../../tools/local/aws/sqs/message.ts';
import { Queue } from '../../../tools/local/aws/sqs/queue.ts';
import type { Random } from './random.ts';
import { clockOf, type Timeline } from './timeline.ts';

export type QueueSettings = {
  /** Milliseconds for which a received message is hidden from others. */
  readonly visibility: number;
  /** After this many receives, a message moves to the dead letters. */
  readonly maxReceiveCount: number;
};

export type DeadLetter = { readonly body: string; readonly reason: string | null };

/** Serves waiting messages in any order: SQS promises none. */
class AnyOrder implements WaitingMessages<Message> {
  readonly #random: Random;
  #messages: readonly Message[] = [];

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
    this.#messages = [...this.#messages, message];
  }

  take(max: number): readonly Message[] {
    const inOrder = this.#messages.toSorted((one, other) => Number(one.id) - Number(other.id));
    const shuffled = this.#random.shuffled(inOrder);
    this.#messages = shuffled.slice(max);
    return shuffled.slice(0, max);
  }

  end(): void {}
}

/** A queue of the local SQS in virtual time, with its dead letters. */
export class SimulatedQueue extends Queue {
  readonly #timeline: Timeline;
  readonly #deadLetters: Queue;
  #count = 0;

  /** @param sharing the queue whose dead letters are also those of this one */
  constructor(settings: QueueSettings, timeline: Timeline, random: Random, sharing?: SimulatedQueue) {
    const clock = clockOf(timeline);
    const deadLetters = sharing === undefined ? new Queue('dead-letters', { clock }) : sharing.#deadLetters;
    super('queue', { clock, waiting: new AnyOrder(random), findByArn: () => deadLetters });
    this.#timeline = timeline;
    this.#deadLetters = deadLetters;
    const { visibility, maxReceiveCount } = settings;
    const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: deadLetters.arn, maxReceiveCount });
    this.setAttributes({ VisibilityTimeout: String(visibility / 1000), RedrivePolicy });
  }

  /** @param delay milliseconds before it can be received */
  put(body: string, delay = 0): void {
    this.send(this.#message(body, delay));
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
    this.#deadLetters.send({ ...this.#message(body, 0), attributes });
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
      this.put(message.body);
      count += 1;
    }
    return count;
  }

  #message(body: string, delay: number): Message {
    this.#count += 1;
    const sentAt = this.#timeline.now;
    const rest = { attributes: {}, group: null, trace: null, receiveCount: 0, firstReceivedAt: null };
    return { ...rest, id: String(this.#count), body, sentAt, delayedUntil: sentAt + delay };
  }
}

function toDeadLetter({ body, attributes }: Message): DeadLetter {
  return { body, reason: attributes.reason?.StringValue ?? null };
}
