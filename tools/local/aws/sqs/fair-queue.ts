/** Group of a message; `null` for a message without a group, which counts as a tenant of its own. */
export type MessageGroup = string | null;

/** The waiting messages of one group, oldest first. */
type Lane<Message> = {
  readonly group: MessageGroup;
  readonly waiting: { readonly order: number; readonly message: Message }[];
};

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

/**
 * Serves the oldest message first, except that a group which holds at least thirty messages in flight, and more than a
 * tenth of all, is served after the others. Looks at the oldest message of a few groups, however many wait. SQS also
 * counts recent processing time, which it does not define.
 * https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-fair-queues-detailed.html
 */
export class FairOrder<Message extends { readonly group: MessageGroup }> implements WaitingMessages<Message> {
  readonly #inFlight = new Map<MessageGroup, number>();
  readonly #lanes = new Map<MessageGroup, Lane<Message>>();
  /** By the order of their oldest message. A group in it may have become noisy. */
  readonly #quiet: Lane<Message>[] = [];
  /** Few: not many groups can hold a tenth. A group in it may have become quiet. */
  readonly #noisy = new Set<Lane<Message>>();
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
    const order = this.#next++;
    this.#size += 1;
    const lane = this.#lanes.get(group);
    if (lane !== undefined) {
      lane.waiting.push({ order, message });
      return;
    }
    const added = { group, waiting: [{ order, message }] };
    this.#lanes.set(group, added);
    this.#quiet.push(added);
  }

  take(max: number): readonly Message[] {
    const taken: Message[] = [];
    while (taken.length < max) {
      const message = this.#takeOne();
      if (message === undefined) break;
      this.#count(message.group, 1);
      taken.push(message);
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

  #isNoisy({ group }: Lane<Message>): boolean {
    const held = this.#held(group);
    return group !== null && held >= 30 && held > this.#totalInFlight * 0.1;
  }

  #takeOne(): Message | undefined {
    for (const lane of this.#noisy) {
      if (this.#isNoisy(lane)) continue;
      this.#noisy.delete(lane);
      this.#insert(lane);
    }
    for (let lane = this.#quiet.shift(); lane !== undefined; lane = this.#quiet.shift()) {
      if (!this.#isNoisy(lane)) {
        const message = this.#takeFrom(lane);
        if (this.#lanes.has(lane.group)) this.#insert(lane);
        return message;
      }
      this.#noisy.add(lane);
    }
    const [lane] = [...this.#noisy].sort(
      (one, other) => this.#held(one.group) - this.#held(other.group) || oldestOf(one) - oldestOf(other),
    );
    return lane === undefined ? undefined : this.#takeFrom(lane);
  }

  #insert(lane: Lane<Message>): void {
    const before = this.#quiet.findLastIndex((other) => oldestOf(other) < oldestOf(lane));
    this.#quiet.splice(before + 1, 0, lane);
  }

  /** Forgets the group with its last message. */
  #takeFrom(lane: Lane<Message>): Message | undefined {
    const oldest = lane.waiting.shift();
    this.#size -= 1;
    if (lane.waiting.length === 0) {
      this.#lanes.delete(lane.group);
      this.#noisy.delete(lane);
    }
    return oldest?.message;
  }
}

function oldestOf<Message>({ waiting }: Lane<Message>): number {
  return waiting[0]?.order ?? Number.POSITIVE_INFINITY;
}
