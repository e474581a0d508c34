import type { ListQuery } from '#shared/contract/list-query.ts';
import type { StoredChangeReport, StoredTracker } from '#shared/contract/records/stored-results.ts';
import { found } from '#shared/operations/found.ts';
import {
  type Cursors,
  isEmptyList,
  type ListPage,
  type PageRequest,
  type Rows,
  readPage,
} from '#shared/operations/paging.ts';

/** Strongly consistent; `null` when the customer has no Tracker with this id. */
export type ReadTracker = (customerId: string, trackerId: string) => Promise<StoredTracker | null>;

/** Reads the Change Reports of a Tracker by the time they were created, newest first; strongly consistent. */
export type ReadChangeReports = (
  customerId: string,
  trackerId: string,
  page: PageRequest,
) => Promise<Rows<StoredChangeReport>>;

type Deps = {
  readonly cursors: Cursors;
  readonly readTracker: ReadTracker;
  readonly readChangeReports: ReadChangeReports;
};

/**
 * The Change Reports of a Tracker, newest first. Messages arrive in any order, so reports are listed even before their
 * Tracker is stored. Only a Tracker without a record and without reports is not found.
 */
export function listChangeReports({ cursors, readTracker, readChangeReports }: Deps) {
  return (customerId: string, trackerId: string, query: ListQuery): Promise<ListPage<StoredChangeReport>> =>
    readPage(cursors, ['changes', customerId, trackerId], query, async (page) => {
      const rows = await readChangeReports(customerId, trackerId, page);
      if (isEmptyList(page, rows)) found(await readTracker(customerId, trackerId));
      return rows;
    });
}
