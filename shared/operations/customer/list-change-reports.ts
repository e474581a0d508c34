import type { ListQuery, Page } from '#shared/contract/list-query.ts';
import { problem } from '#shared/contract/problem.ts';
import { type ChangeReportRecord, presentChangeReport } from '#shared/contract/records/change-report.ts';
import type { StoredChangeReport } from '#shared/contract/records/stored-results.ts';
import { type Cursors, type Rows, readPage } from './paging.ts';
import type { ReadTracker } from './read-tracker.ts';

/** Reads the Change Reports of a Tracker by the time they were created, newest first; strongly consistent. */
export type ReadChangeReports = (
  customerId: string,
  trackerId: string,
  page: { readonly after: string | null; readonly limit: number },
) => Promise<Rows<StoredChangeReport>>;

type Deps = {
  readonly readTracker: ReadTracker;
  readonly readChangeReports: ReadChangeReports;
  readonly cursors: Cursors;
  /** Public address of the API without a trailing slash. */
  readonly baseUrl: string;
};

/**
 * The Change Reports of a Tracker, newest first. Messages come in any order, so reports are shown also before their
 * Tracker is stored: only one of which nothing is known at all is not found.
 */
export function listChangeReports(deps: Deps) {
  return async (customerId: string, trackerId: string, query: ListQuery): Promise<Page<ChangeReportRecord>> =>
    readPage(
      deps.cursors,
      ['changes', customerId, trackerId],
      query,
      async (page) => {
        const found = await deps.readChangeReports(customerId, trackerId, page);
        const mayBeUnknown = page.after === null && found.rows.length === 0 && found.next === null;
        if (mayBeUnknown && (await deps.readTracker(customerId, trackerId)) === null) {
          throw problem('not_found');
        }
        return found;
      },
      (report) => presentChangeReport(report, trackerId, deps.baseUrl),
    );
}
