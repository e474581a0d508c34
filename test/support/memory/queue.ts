import { maxMessageBytes } from '#shared/aws/queues/send-to-dead-letters.ts';
import type { Clock } from '#shared/operations/ports.ts';

export type QueueSettings = {
  /** Milliseconds for which a received message is hidden from others. */
  readonly visibility: number;
  /** After this many receives, a message moves to the dead letters. */
  readonly maxReceiveCount: number;
};

export type Received = {
  readonly id: string;
  readonly body: string;
  readonly handle: string;
  /** How often it was received, this time included. */
  readonly receives: number;
  /** Epoch milliseconds. */
  readonly sentAt: number;
};

export type DeadLetter = { readonly body: string; readonly reason: string | null };

/** The queue refuses a message over the size limit, as SQS does. */
class MessageTooLarge extends Error {
  override readonly name = 'MessageTooLarge';
}

type Message = { -readonly [Name in keyof Received]: Received[Name] } & { visibleAt: number };

/** A standard queue with its dead letters: a message stays until it is deleted; the order is not guaranteed. */
export class MemoryQueue {
  readonly deadLetters: DeadLetter[];
  readonly #settings: QueueSettings;
  readonly #now: Clock;
  readonly #messages = new Map<string, Message>();
  #count = 0;

  /** @param deadLetters those of another queue, if both share them */
  constructor(settings: QueueSettings, now: Clock, deadLetters: DeadLetter[] = []) {
    this.deadLetters = deadLetters;
    this.#settings = settings;
    this.#now = now;
  }

  /** @param delay milliseconds before it can be received */
  send(body: string, delay = 0): void {
    this.#count += 1;
    const id = `m${this.#count}`;
    const sentAt = this.#now();
    this.#messages.set(id, { id, body, sentAt, receives: 0, visibleAt: sentAt + delay, handle: '' });
  }

  /** Receives at most `limit` messages: those that `order` puts first. */
  receive(limit: number, order: <T>(all: readonly T[]) => readonly T[] = (all) => all): readonly Received[] {
    const visible = [...this.#messages.values()].filter(({ visibleAt }) => visibleAt <= this.#now());
    const fresh = visible.filter((message) => !this.#buryIfWorn(message));
    return order(fresh)
      .slice(0, limit)
      .map((message) => this.#handOut(message));
  }

  /** Puts a message among the dead letters, with the reason beside it as an attribute. */
  bury(letter: DeadLetter): void {
    const attribute = letter.reason === null ? 0 : Buffer.byteLength(`reasonString${letter.reason}`);
    if (Buffer.byteLength(letter.body) + attribute > maxMessageBytes) throw new MessageTooLarge();
    this.deadLetters.push(letter);
  }

  /** Deletes a message, if the handle is of its last receive. */
  delete(handle: string): void {
    const message = this.#find(handle);
    if (message !== undefined) this.#messages.delete(message.id);
  }

  /** Makes a received message visible again after a time in milliseconds, if the handle is of its last receive. */
  changeVisibility(handle: string, after: number): void {
    const message = this.#find(handle);
    if (message !== undefined) message.visibleAt = this.#now() + after;
  }

  /** Puts the dead letters that are `isGood` back. @returns how many */
  redrive(isGood: (letter: DeadLetter) => boolean): number {
    const letters = this.deadLetters.splice(0);
    const good = letters.filter(isGood);
    this.deadLetters.push(...letters.filter((letter) => !good.includes(letter)));
    for (const { body } of good) this.send(body);
    return good.length;
  }

  get nextVisibleAt(): number {
    let next = Number.POSITIVE_INFINITY;
    for (const { visibleAt } of this.#messages.values()) next = Math.min(next, visibleAt);
    return next;
  }

  /** The messages that are neither deleted nor dead letters. */
  get bodies(): readonly string[] {
    return [...this.#messages.values()].map(({ body }) => body);
  }

  #buryIfWorn(message: Message): boolean {
    if (message.receives < this.#settings.maxReceiveCount) return false;
    this.#messages.delete(message.id);
    this.deadLetters.push({ body: message.body, reason: null });
    return true;
  }

  #handOut(message: Message): Received {
    message.receives += 1;
    message.visibleAt = this.#now() + this.#settings.visibility;
    message.handle = `${message.id} ${message.receives}`;
    const { id, body, handle, receives, sentAt } = message;
    return { id, body, handle, receives, sentAt };
  }

  #find(handle: string): Message | undefined {
    const message = this.#messages.get(handle.split(' ')[0] ?? '');
    return message?.handle === handle ? message : undefined;
  }
}
