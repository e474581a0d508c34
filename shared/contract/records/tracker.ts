import * as z from 'zod';
import { trackerLinks } from '#shared/domain/event.ts';
import type { StoredTracker } from './stored-results.ts';

/** The record of a Tracker: the members that the Run engine sent, and links. */
export const trackerRecord = z.looseObject({
  id: z.string(),
  kind: z.string(),
  status: z.string(),
  created_at: z.string(),
  links: z.object({ tracker: z.string(), changes: z.string() }),
});

export type TrackerRecord = z.infer<typeof trackerRecord>;

/** @param baseUrl public address of the API without a trailing slash */
export function presentTracker(tracker: StoredTracker, baseUrl: string): TrackerRecord {
  return { ...tracker, links: trackerLinks(tracker.id, baseUrl) };
}
