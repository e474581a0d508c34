import * as z from 'zod/mini';
import { type StoredTracker, storedTracker } from '#shared/contract/records/stored-results.ts';
import { trackerKey } from '../keys.ts';
import { reads, storedJson } from '../stored-row.ts';

export const fromTrackerItem = reads(
  'Tracker',
  z.object({ tracker: z.pipe(storedJson, storedTracker) }),
  ({ tracker }): StoredTracker => tracker,
);

export function toTrackerItem(customerId: string, tracker: StoredTracker) {
  return { ...trackerKey(customerId, tracker.id), tracker: JSON.stringify(tracker) };
}
