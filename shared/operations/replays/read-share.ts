import { type BulkReplay, isReplayBy, stepSeconds } from '#shared/domain/bulk-replay.ts';
import type { Endpoint } from '#shared/domain/endpoint.ts';
import type { TimeLeft } from '#shared/operations/ports.ts';
import type { ReadReplayable, ReplayablePage } from './replayable.ts';

type Deps = { readonly readReplayable: ReadReplayable };

/** Milliseconds of the function that reading leaves for the replays, the queues and the record of the step. */
const timeToReplay = 20_000;

/**
 * Reads the deliveries of one step, oldest first: as many as its pace allows. It reads on after deliveries that have a
 * replay already, so that a bulk replay of a time whose deliveries were replayed mostly needs few steps. What the time
 * does not allow is left for the next step.
 */
export function readShare({ readReplayable }: Deps) {
  return async (job: BulkReplay, endpoint: Endpoint, timeLeft: TimeLeft): Promise<ReplayablePage> => {
    const limit = job.rate * stepSeconds;
    const isOwn = (id: string, replayedBy: string) => isReplayBy(job.id, id, replayedBy);
    const pages: ReplayablePage[] = [];
    let found = 0;
    let after = job.cursor;
    do {
      const page = await readReplayable(endpoint, job.selection, { after, limit: limit - found, isOwn });
      pages.push(page);
      found += page.deliveries.length;
      after = page.next;
    } while (after !== null && found < limit && timeLeft() > timeToReplay);
    return {
      deliveries: pages.flatMap(({ deliveries }) => deliveries),
      replayedEarlier: pages.flatMap(({ replayedEarlier }) => replayedEarlier),
      next: after,
    };
  };
}
