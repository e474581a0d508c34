import type { Table } from '#shared/aws/clients.ts';
import { readReplayable } from '#shared/aws/table/replays/replayable-deliveries.ts';
import { type BulkReplay, stepSeconds } from '#shared/domain/bulk-replay.ts';
import { chunks } from '#shared/domain/chunks.ts';
import type { Delivery } from '#shared/domain/delivery.ts';
import type { Endpoint } from '#shared/domain/endpoint.ts';
import type { TimeLeft } from '#shared/operations/ports.ts';
import { EventChoice } from './event-choice.ts';

/** A step that a worker runs: it sends deliveries of the source to the endpoint, which mostly are the same. */
export type Step = {
  readonly job: BulkReplay;
  readonly endpoint: Endpoint;
  readonly source: Endpoint;
  readonly timeLeft: TimeLeft;
};

/** Deliveries that bulk replays read in a second: 63 read units, which is what one credential can with filtered lists. */
const readsPerSecond = 500;

/**
 * Seconds of the pace that a step reads for: a page of about 500 deliveries, at half a read unit for each 4 KB, takes
 * one. A bulk replay whose time range holds nothing to replay would otherwise read as fast as the table can.
 */
const maxSeconds = 10;

/** Deliveries whose events are looked at together. */
const lookedAtOnce = 100;

type Share = {
  /** In the order of their ids. */
  readonly deliveries: readonly Delivery[];
  /** Ids of the selected deliveries in between whose events are not sent, in order. */
  readonly replayedEarlier: readonly string[];
  /** The id after which the rest begins; `null` when there is none. */
  readonly next: string | null;
  /** How long the next step waits, so that reading keeps its pace. */
  readonly seconds: number;
};

/** Milliseconds of the function that reading leaves for the replays, the queues and the record of the step. */
const timeToReplay = 20_000;

/**
 * Reads the deliveries of one step, oldest first: as many as its pace allows. It reads on after deliveries whose events
 * were replayed, so that a time range that was mostly replayed needs few steps. What the time and the pace of reading do
 * not allow is left for the next step.
 */
export async function readShare(table: Table, { job, endpoint, source, timeLeft }: Step): Promise<Share> {
  const limit = job.rate * stepSeconds;
  const choice = new EventChoice(table, { endpoint, source, status: job.selection.status, jobId: job.id });
  const size = choice.isCostly ? Math.min(limit, lookedAtOnce) : lookedAtOnce;
  const share = new ShareOf(limit);
  let pages = 0;
  let next = job.cursor;
  const seconds = () => Math.max(pages, Math.round(pages + choice.reads / readsPerSecond));
  const mayContinue = () => !share.isFull && seconds() < maxSeconds && timeLeft() > timeToReplay;
  const addPage = async (deliveries: readonly Delivery[]): Promise<boolean> => {
    for (const [index, some] of chunks(deliveries, size).entries()) {
      if (index > 0 && !mayContinue()) return false;
      const chosen = await choice.choose(some.map((delivery) => ({ ...delivery, eventId: delivery.event.id })));
      if (!share.add(some, chosen)) return false;
    }
    return true;
  };
  do {
    const page = await readReplayable(table, source, job, { after: next, limit });
    pages += 1;
    next = (await addPage(page.deliveries)) ? page.next : share.last;
  } while (next !== null && mayContinue());
  return { deliveries: share.deliveries, replayedEarlier: share.leftOut, next, seconds: seconds() };
}

class ShareOf {
  readonly deliveries: Delivery[] = [];
  readonly leftOut: string[] = [];
  /** The last delivery that was dealt with. */
  last: string | null = null;
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get isFull(): boolean {
    return this.deliveries.length === this.#limit;
  }

  /** @returns `false` when it is full before the end */
  add(some: readonly Delivery[], chosen: ReadonlySet<string>): boolean {
    for (const delivery of some) {
      if (this.isFull) return false;
      if (chosen.has(delivery.id)) this.deliveries.push(delivery);
      else this.leftOut.push(delivery.id);
      this.last = delivery.id;
    }
    return true;
  }
}
