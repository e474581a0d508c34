import type { Message } from './message.ts';

/** A message that nobody can receive before a time: a delayed one, or one in flight. */
export type Hidden = {
  readonly message: Message;
  readonly isTaken: boolean;
  /** Epoch milliseconds. */
  readonly until: number;
};

/** The hidden messages of a queue by receipt handle, which nobody knows for a delayed message. */
export class HiddenMessages {
  readonly #all = new Map<string, Hidden>();
  #nextDue = Number.POSITIVE_INFINITY;

  get size(): number {
    return this.#all.size;
  }

  get delayed(): number {
    return [...this.#all.values()].filter(({ isTaken }) => !isTaken).length;
  }

  get messages(): readonly Message[] {
    return [...this.#all.values()].map(({ message }) => message);
  }

  /** None is due before. */
  get nextDue(): number {
    return this.#nextDue;
  }

  get(receiptHandle: string): Hidden | undefined {
    return this.#all.get(receiptHandle);
  }

  set(receiptHandle: string, hidden: Hidden): void {
    this.#all.set(receiptHandle, hidden);
    this.#nextDue = Math.min(this.#nextDue, hidden.until);
  }

  delete(receiptHandle: string): void {
    this.#all.delete(receiptHandle);
  }

  /** The receipt handles of those that are due, which the caller deletes. */
  due(now: number): readonly string[] {
    if (now < this.#nextDue) return [];
    const due: string[] = [];
    let next = Number.POSITIVE_INFINITY;
    for (const [receiptHandle, { until }] of this.#all) {
      if (until <= now) due.push(receiptHandle);
      else if (until < next) next = until;
    }
    this.#nextDue = next;
    return due;
  }
}
