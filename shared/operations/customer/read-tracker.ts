import { problem } from '#shared/contract/problem.ts';
import type { StoredTracker } from '#shared/contract/records/stored-results.ts';

/** Strongly consistent; `null` when the customer has no such Tracker. */
export type ReadTracker = (customerId: string, trackerId: string) => Promise<StoredTracker | null>;

/** Reads a Tracker of the customer. */
export function readTracker(deps: { readonly readTracker: ReadTracker }) {
  return async (customerId: string, trackerId: string): Promise<StoredTracker> => {
    const tracker = await deps.readTracker(customerId, trackerId);
    if (tracker === null) throw problem('not_found');
    return tracker;
  };
}
