import type { ListQuery, Page } from '#shared/contract/list-query.ts';
import { type Addresses, presentRun, type RunRecord } from '#shared/contract/records/run.ts';
import type { StoredRun } from '#shared/contract/records/stored-results.ts';
import { type Cursors, type Rows, readPage } from './paging.ts';

/** Reads a customer's Runs by the time they were created, newest first. */
export type ReadRuns = (
  customerId: string,
  page: { readonly after: string | null; readonly limit: number },
) => Promise<Rows<StoredRun>>;

type Deps = { readonly readRuns: ReadRuns; readonly cursors: Cursors; readonly addresses: Addresses };

/** The Runs of a customer, whatever became of them, newest first. */
export function listRuns(deps: Deps) {
  return async (customerId: string, query: ListQuery): Promise<Page<RunRecord>> =>
    readPage(
      deps.cursors,
      ['runs', customerId],
      query,
      (page) => deps.readRuns(customerId, page),
      (run) => presentRun(run, deps.addresses),
    );
}
