import { readChangeReports, readTracker } from '#shared/aws/table/results/trackers.ts';
import type { ListQuery } from '#shared/contract/list-query.ts';
import type { StoredChangeReport } from '#shared/contract/records/stored-results.ts';
import { found } from '#shared/operations/found.ts';
import type { Needs } from '#shared/operations/needs.ts';
import { isEmptyList, type ListPage, readPage } from '#shared/operations/paging.ts';

type Deps = Pick<Needs, 'cursors' | 'table'>;

/**
 * The Change Reports of a Tracker, newest first. Messages arrive in any order, so reports are listed even before their
 * Tracker is stored. Only a Tracker without a record and without reports is not found.
 */
export function listChangeReports({ cursors, table }: Deps) {
  return (customerId: string, trackerId: string, query: ListQuery): Promise<ListPage<StoredChangeReport>> =>
    readPage(cursors, ['changes', customerId, trackerId], query, async (page) => {
      const rows = await readChangeReports(table, customerId, trackerId, page);
      if (isEmptyList(page, rows)) found(await readTracker(table, customerId, trackerId));
      return rows;
    });
}
