import { FairShare } from '../../local/aws/sqs/fair-share.ts';

/** One message of the queue. Times in virtual milliseconds. */
export type Arrival = {
  readonly at: number;
  /** Message group. */
  readonly group: string;
  /** Milliseconds that a function needs for this message alone. */
  readonly busyMs: number;
  /** Another value of `busyMs` for a function that starts at this time or later. */
  readonly later?: { readonly from: number; readonly busyMs: number };
};

/** Number of functions that may run concurrently from this time on. */
export type Capacity = { readonly from: number; readonly functions: number };

export type QueueModel = {
  /** In order of time. */
  readonly arrivals: readonly Arrival[];
  /** `plain`: first in, first out. `fair`: quiet groups first. */
  readonly order: 'plain' | 'fair';
  readonly batchSize: number;
  /** In order of time; the first starts at 0. */
  readonly capacity: readonly Capacity[];
};

type Waiting = { readonly index: number; readonly arrival: Arrival };
type Batch = { readonly startedAt: number; readonly endsAt: number; readonly members: readonly Arrival[] };

/**
 * Simulates a queue and its functions in virtual time, without randomness. When a function is free and messages wait,
 * it takes a batch and stays busy until the slowest message of the batch is done.
 *
 * @returns milliseconds that each arrival waited for a function
 */
export function playQueue(model: QueueModel): readonly number[] {
  return new Player(model).play();
}

class Player {
  readonly #model: QueueModel;
  readonly #share = new FairShare();
  readonly #waiting = new Map<string, Waiting[]>();
  readonly #waits: number[] = [];
  #running: Batch[] = [];
  #arrived = 0;
  #served = 0;

  constructor(model: QueueModel) {
    this.#model = model;
  }

  play(): readonly number[] {
    const total = this.#model.arrivals.length;
    for (let now = 0; this.#served < total; now = this.#nextTime(now)) {
      this.#admit(now);
      this.#endBatches(now);
      while (this.#served < this.#arrived && this.#running.length < this.#functionsAt(now)) {
        this.#startBatch(now);
      }
    }
    return this.#waits;
  }

  #functionsAt(now: number): number {
    return this.#model.capacity.findLast(({ from }) => from <= now)?.functions ?? 0;
  }

  /** @throws Error when messages wait and no function will ever be free */
  #nextTime(now: number): number {
    const times = [
      this.#model.arrivals[this.#arrived]?.at,
      this.#model.capacity.find(({ from }) => from > now)?.from,
      ...this.#running.map(({ endsAt }) => endsAt),
    ];
    const next = Math.min(...times.map((time) => time ?? Number.POSITIVE_INFINITY));
    if (next === Number.POSITIVE_INFINITY && this.#served < this.#model.arrivals.length) {
      throw new Error('Cannot play the queue: messages wait, and no function ever serves them');
    }
    return next;
  }

  #admit(now: number): void {
    for (;;) {
      const arrival = this.#model.arrivals[this.#arrived];
      if (arrival === undefined || arrival.at > now) return;
      const queue = this.#waiting.get(arrival.group) ?? [];
      queue.push({ index: this.#arrived, arrival });
      this.#waiting.set(arrival.group, queue);
      this.#arrived += 1;
    }
  }

  #endBatches(now: number): void {
    const ended = this.#running.filter(({ endsAt }) => endsAt <= now);
    if (ended.length === 0) return;
    this.#running = this.#running.filter(({ endsAt }) => endsAt > now);
    for (const { members, startedAt, endsAt } of ended) {
      for (const { group } of members) this.#share.finish(group, startedAt, endsAt);
    }
  }

  #startBatch(now: number): void {
    const members = this.#receive(now).map(({ index, arrival }) => {
      this.#waits[index] = now - arrival.at;
      this.#share.take(arrival.group);
      return arrival;
    });
    this.#served += members.length;
    const endsAt = now + Math.max(...members.map((member) => busyMsAt(member, now)));
    this.#running.push({ startedAt: now, endsAt, members });
  }

  /** Fills a batch with messages of quiet groups first, then of noisy groups. */
  #receive(now: number): readonly Waiting[] {
    const lanes = [...this.#waiting].map(([group, queue]) => {
      const rank = this.#model.order === 'fair' ? this.#share.rank(group, now) : 0;
      return { rank, queue, taken: 0 };
    });
    const received: Waiting[] = [];
    while (received.length < this.#model.batchSize) {
      const first = firstOf(lanes);
      if (first === undefined) break;
      first.lane.taken += 1;
      received.push(first.head);
    }
    for (const { queue, taken } of lanes) queue.splice(0, taken);
    return received;
  }
}

function busyMsAt({ busyMs, later }: Arrival, now: number): number {
  return later === undefined || now < later.from ? busyMs : later.busyMs;
}

/** The messages of one group, including those already taken. */
type Lane = { readonly rank: number; readonly queue: readonly Waiting[]; taken: number };

function firstOf<L extends Lane>(lanes: readonly L[]): { lane: L; head: Waiting } | undefined {
  return lanes
    .flatMap((lane) => {
      const head = lane.queue[lane.taken];
      return head === undefined ? [] : [{ lane, head }];
    })
    .sort((one, other) => one.lane.rank - other.lane.rank || one.head.index - other.head.index)[0];
}
