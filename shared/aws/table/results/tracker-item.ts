import * as z from 'zod';
import { type StoredTracker, storedTracker } from '#shared/contract/records/stored-results.ts';
import { trackerKey } from '../keys.ts';
import { reads, storedJson } from '../stored-row.ts';

export const fromTrackerItem = reads(
  'Tracker',
  z.object({ tracker: storedJson.pipe(storedTracker) }),
  ({ tracker }): StoredTracker => tracker,
);

export function toTrackerItem(customerId: string, tracker: StoredTracker) {
  return { ...trackerKey(customerId, tracker.id), tracker: JSON.stringify(tracker) };
}
