import type { FairShare, MessageGroup } from './fair-share.ts';

/** The waiting messages of one group, oldest first. */
type Lane<Message> = {
  readonly group: MessageGroup;
  readonly waiting: { readonly order: number; readonly message: Message }[];
};

/**
 * The waiting messages of a queue in the order of service: oldest first among the quiet groups, then the noisy groups.
 * A receive looks at the oldest message of a few groups, however many messages and groups wait.
 */
export class FairOrder<Message> {
  readonly #share: FairShare;
  readonly #lanes = new Map<MessageGroup, Lane<Message>>();
  /** By the order of their oldest message. A group in it may have become noisy. */
  readonly #quiet: Lane<Message>[] = [];
  /** Few: not many groups can hold a tenth. A group in it may have become quiet. */
  readonly #noisy = new Set<Lane<Message>>();
  #next = 0;
  #size = 0;

  constructor(share: FairShare) {
    this.#share = share;
  }

  get size(): number {
    return this.#size;
  }

  add(group: MessageGroup, message: Message): void {
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

  /** Removes the message to serve next. `now` is a time of the clock of the share. */
  take(now: number): Message | undefined {
    for (const lane of this.#noisy) {
      if (this.#share.rank(lane.group, now) > 0) continue;
      this.#noisy.delete(lane);
      this.#insert(lane);
    }
    for (let lane = this.#quiet.shift(); lane !== undefined; lane = this.#quiet.shift()) {
      if (this.#share.rank(lane.group, now) === 0) {
        const message = this.#takeFrom(lane);
        if (this.#lanes.has(lane.group)) this.#insert(lane);
        return message;
      }
      this.#noisy.add(lane);
    }
    const lane = this.#leastNoisy(now);
    return lane === undefined ? undefined : this.#takeFrom(lane);
  }

  #insert(lane: Lane<Message>): void {
    const before = this.#quiet.findLastIndex((other) => oldestOf(other) < oldestOf(lane));
    this.#quiet.splice(before + 1, 0, lane);
  }

  #leastNoisy(now: number): Lane<Message> | undefined {
    const ranked = [...this.#noisy].map((lane) => ({ lane, rank: this.#share.rank(lane.group, now) }));
    ranked.sort((one, other) => one.rank - other.rank || oldestOf(one.lane) - oldestOf(other.lane));
    return ranked[0]?.lane;
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
