/**
 * Which message groups of a queue are noisy, by the rule that AWS documents for fair queues: a group that holds more
 * than a tenth of all messages in flight and at least thirty of them, or that took more than a tenth of the recent
 * processing time. AWS calls its thresholds approximate and does not define recent; here it is a minute. In SQS a noisy
 * group also counts as quiet after five minutes without a new message; here it does not.
 * https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-fair-queues-detailed.html
 */
const noisyShare = 0.1;
const noisyCount = 30;
const recentMs = 60_000;

/** Group of a message; `null` for a message without a group, which counts as a tenant of its own. */
export type MessageGroup = string | null;

type Processed = { readonly group: MessageGroup; readonly endedAt: number; readonly ms: number };

/** All times are milliseconds of one clock and never decrease. */
export class FairShare {
  readonly #inFlight = new Map<string, number>();
  readonly #processedMs = new Map<string, number>();
  readonly #processed: Processed[] = [];
  #totalInFlight = 0;
  #totalMs = 0;

  /** A message of the group was received. */
  take(group: MessageGroup): void {
    this.#addInFlight(group, 1);
  }

  /** A received message became visible again. */
  giveBack(group: MessageGroup): void {
    this.#addInFlight(group, -1);
  }

  /** A received message was deleted. */
  finish(group: MessageGroup, takenAt: number, endedAt: number): void {
    this.#addInFlight(group, -1);
    const processed = { group, endedAt, ms: endedAt - takenAt };
    this.#processed.push(processed);
    this.#addProcessed(processed, 1);
  }

  /**
   * Position of a group in the order of service: 0 for a quiet group, which is served first. A noisy group has a higher
   * rank, which grows with its messages in flight.
   */
  rank(group: MessageGroup, now: number): number {
    this.#forgetUntil(now - recentMs);
    if (group === null) return 0;
    const inFlight = this.#inFlight.get(group) ?? 0;
    const processedMs = this.#processedMs.get(group) ?? 0;
    const noisy =
      (inFlight >= noisyCount && inFlight > this.#totalInFlight * noisyShare) ||
      processedMs > this.#totalMs * noisyShare;
    return noisy ? 1 + inFlight : 0;
  }

  #addInFlight(group: MessageGroup, count: number): void {
    this.#totalInFlight += count;
    if (group !== null) addTo(this.#inFlight, group, count);
  }

  #addProcessed({ group, ms }: Processed, sign: 1 | -1): void {
    this.#totalMs += sign * ms;
    if (group !== null) addTo(this.#processedMs, group, sign * ms);
  }

  #forgetUntil(time: number): void {
    for (let oldest = this.#processed[0]; oldest !== undefined; oldest = this.#processed[0]) {
      if (oldest.endedAt > time) return;
      this.#addProcessed(oldest, -1);
      this.#processed.shift();
    }
    // Sums of fractions do not return to exactly zero.
    this.#processedMs.clear();
    this.#totalMs = 0;
  }
}

function addTo(sums: Map<string, number>, key: string, value: number): void {
  const sum = (sums.get(key) ?? 0) + value;
  if (sum === 0) sums.delete(key);
  else sums.set(key, sum);
}

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
