import * as z from 'zod/mini';
import { runLinks, trackerLinks } from '#shared/domain/event.ts';
import type { StoredChangeReport, StoredTracker } from './stored-results.ts';

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

/** The record of a Change Report: the members that the Run engine wrote, its Tracker, and links. */
export const changeReportRecord = z.looseObject({
  id: z.string(),
  tracker_id: z.string(),
  run_id: z.string(),
  created_at: z.string(),
  links: z.object({ run: z.string(), tracker: z.string(), changes: z.string() }),
});

export type ChangeReportRecord = z.infer<typeof changeReportRecord>;

/** @param baseUrl public address of the API without a trailing slash */
export function presentChangeReport(
  report: StoredChangeReport,
  trackerId: string,
  baseUrl: string,
): ChangeReportRecord {
  return {
    ...report,
    tracker_id: trackerId,
    links: { ...runLinks(report.run_id, baseUrl), ...trackerLinks(trackerId, baseUrl) },
  };
}
