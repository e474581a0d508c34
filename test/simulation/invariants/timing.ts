import { slowLane } from '../../../lib/functions/queue-functions.ts';
import type { Claim } from '../world/journal.ts';
import type { Promises } from './promises.ts';
import type { Seen } from './seen.ts';

const minute = 60_000;

/** Milliseconds after attempt 1 and 2 before which the next one does not begin. */
const waits = [10 * minute, 50 * minute] as const;

/**
 * A timer fires within the minute after its time, its message may wait for the batch of the slow lane, and messages and
 * functions take a moment.
 */
const promptly = minute + slowLane.batchWindow * 1000 + 5_000;

function* retries({ claims, released }: Seen['journal']): Iterable<readonly [Claim, Claim]> {
  const last = new Map<string, Claim>();
  const givenBack = new Set(released.map(({ delivery }) => delivery.claim?.fencingToken));
  for (const claim of claims) {
    if (givenBack.has(claim.delivery.claim?.fencingToken)) continue;
    const before = last.get(claim.delivery.id);
    if (before !== undefined) yield [before, claim];
    last.set(claim.delivery.id, claim);
  }
}

export const timingPromises = {
  /** By the true time; wrong clocks may bring a retry forward by their error. */
  *noRetryComesEarly({ journal }) {
    for (const [before, next] of retries(journal)) {
      const least = (waits[before.delivery.attempts - 1] ?? 0) - 2 * journal.largestSkew;
      if (next.at - before.at < least)
        yield `${next.delivery.id}: attempt ${next.delivery.attempts} came ${next.at - before.at} ms after the last`;
    }
  },

  *retriesAreOnTimeWhenNothingFails({ journal, isClean }) {
    if (!isClean) return;
    for (const [before, next] of retries(journal)) {
      const due = next.delivery.retryAt ?? 0;
      if (next.at > due + promptly) yield `${before.delivery.id} was due at ${due} and taken at ${next.at}`;
    }
  },

  *noAttemptIsInterruptedWhenNothingFails({ deliveries, isClean }) {
    if (!isClean) return;
    for (const { id, log } of deliveries)
      if (log.some(({ outcome }) => outcome === 'interrupted')) yield `${id} was interrupted`;
  },
} satisfies Promises<Seen>;
