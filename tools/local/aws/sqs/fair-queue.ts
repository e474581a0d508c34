/** Group of a message; `null` for a message without a group, which counts as a tenant of its own. */
export type MessageGroup = string | null;

/** The waiting messages of a queue, in the order in which it serves them. */
export type WaitingMessages<Message> = {
  readonly size: number;
  readonly all: Iterable<Message>;
  add(message: Message): void;
  /** Removes at most `max` messages, which are in flight from then on. */
  take(max: number): readonly Message[];
  /** A message is no longer in flight. */
  end(message: Message): void;
};

/** The waiting messages of one group, oldest first. */
type Lane<Message> = {
  readonly group: MessageGroup;
  readonly waiting: { readonly order: number; readonly message: Message }[];
};

/**
 * Serves the oldest message first, except that a group which holds at least thirty messages in flight, and more than a
 * tenth of all, is served after the others. SQS also counts recent processing time, which it does not define.
 * https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-fair-queues-detailed.html
 */
export class FairOrder<Message extends { readonly group: MessageGroup }> implements WaitingMessages<Message> {
  readonly #inFlight = new Map<MessageGroup, number>();
  readonly #lanes = new Map<MessageGroup, Lane<Message>>();
  #totalInFlight = 0;
  #next = 0;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get all(): Iterable<Message> {
    return [...this.#lanes.values()].flatMap(({ waiting }) => waiting.map(({ message }) => message));
  }

  add(message: Message): void {
    const { group } = message;
    const lane = this.#lanes.get(group) ?? { group, waiting: [] };
    lane.waiting.push({ order: this.#next++, message });
    this.#lanes.set(group, lane);
    this.#size += 1;
  }

  take(max: number): readonly Message[] {
    const taken: Message[] = [];
    for (let lane = this.#nextLane(); lane !== undefined && taken.length < max; lane = this.#nextLane()) {
      const { group, waiting } = lane;
      const oldest = waiting.shift();
      // Forgets the group with its last message.
      if (waiting.length === 0) this.#lanes.delete(group);
      if (oldest === undefined) continue;
      this.#size -= 1;
      this.#count(group, 1);
      taken.push(oldest.message);
    }
    return taken;
  }

  end({ group }: Message): void {
    this.#count(group, -1);
  }

  #count(group: MessageGroup, change: 1 | -1): void {
    this.#totalInFlight += change;
    const held = this.#held(group) + change;
    if (held === 0) this.#inFlight.delete(group);
    else this.#inFlight.set(group, held);
  }

  #held(group: MessageGroup): number {
    return this.#inFlight.get(group) ?? 0;
  }

  /** The quiet group with the oldest message; when all are noisy, that with the fewest messages in flight. */
  #nextLane(): Lane<Message> | undefined {
    let next: { readonly lane: Lane<Message>; readonly noise: number; readonly order: number } | undefined;
    for (const lane of this.#lanes.values()) {
      const noise = this.#noiseOf(lane.group);
      const order = lane.waiting[0]?.order ?? 0;
      const isBefore = next === undefined || noise < next.noise || (noise === next.noise && order < next.order);
      if (isBefore) next = { lane, noise, order };
    }
    return next?.lane;
  }

  /** Messages in flight of a noisy group; 0 for a quiet one. */
  #noiseOf(group: MessageGroup): number {
    const held = this.#held(group);
    return group !== null && held >= 30 && held > this.#totalInFlight * 0.1 ? held : 0;
  }
}
