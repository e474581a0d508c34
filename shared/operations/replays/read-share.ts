import { type BulkReplay, stepSeconds } from '#shared/domain/bulk-replay.ts';
import type { Endpoint } from '#shared/domain/endpoint.ts';
import type { TimeLeft } from '#shared/operations/ports.ts';
import type { ReadReplayable, ReplayablePage } from './ports.ts';

/** A step that a worker runs. */
export type Step = { readonly job: BulkReplay; readonly endpoint: Endpoint; readonly timeLeft: TimeLeft };

/**
 * Maximum number of pages that a step reads: about 5,000 deliveries, at half a read unit for each 4 KB. A bulk replay
 * whose time range holds nothing to replay would otherwise read as fast as the table can.
 */
const maxPages = 10;

/** Seconds of the pace for each page. A bulk replay thus reads as much as the filtered lists of one credential can. */
const pageSeconds = 1;

/** The deliveries of a step. `seconds`: how long the next step waits, so that reading keeps its pace. */
type Share = ReplayablePage & { readonly seconds: number };

/** Milliseconds of the function that reading leaves for the replays, the queues and the record of the step. */
const timeToReplay = 20_000;

/**
 * Reads the deliveries of one step, oldest first: as many as its pace allows. It reads on after deliveries that have a
 * replay already, so that a time range that was mostly replayed needs few steps. What the time and the number of pages
 * do not allow is left for the next step.
 */
export async function readShare(
  { readReplayable }: { readonly readReplayable: ReadReplayable },
  { job, endpoint, timeLeft }: Step,
): Promise<Share> {
  const limit = job.rate * stepSeconds;
  const pages: ReplayablePage[] = [];
  let found = 0;
  let after = job.cursor;
  const mayContinue = () => found < limit && pages.length < maxPages && timeLeft() > timeToReplay;
  do {
    const page = await readReplayable(endpoint, job, { after, limit: limit - found });
    pages.push(page);
    found += page.deliveries.length;
    after = page.next;
  } while (after !== null && mayContinue());
  return {
    deliveries: pages.flatMap(({ deliveries }) => deliveries),
    replayedEarlier: pages.flatMap(({ replayedEarlier }) => replayedEarlier),
    next: after,
    seconds: pages.length * pageSeconds,
  };
}
