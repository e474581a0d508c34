import type { ListQuery } from '#shared/contract/list-query.ts';
import type { StoredRun } from '#shared/contract/records/stored-results.ts';
import { type Cursors, type ListPage, openCursor, type PageRequest, type Rows, sealNext } from './paging.ts';

/** Reads a customer's Runs by the time they were created, newest first. */
export type ReadRuns = (customerId: string, page: PageRequest) => Promise<Rows<StoredRun>>;

type Deps = { readonly cursors: Cursors; readonly readRuns: ReadRuns };

/** The Runs of a customer in every status, newest first. */
export function listRuns({ cursors, readRuns }: Deps) {
  return async (customerId: string, { limit, cursor }: ListQuery): Promise<ListPage<StoredRun>> => {
    const scope = ['runs', customerId];
    const after = await openCursor(cursors, scope, cursor);
    const rows = await readRuns(customerId, { after, limit });
    return sealNext(cursors, scope, rows);
  };
}
