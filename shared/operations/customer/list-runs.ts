import type { ListQuery } from '#shared/contract/list-query.ts';
import type { StoredRun } from '#shared/contract/records/stored-results.ts';
import { type Cursors, type PageRequest, type Rows, readPage } from '#shared/operations/paging.ts';

/** Reads a customer's Runs by the time they were created, newest first. */
export type ReadRuns = (customerId: string, page: PageRequest) => Promise<Rows<StoredRun>>;

type Deps = { readonly cursors: Cursors; readonly readRuns: ReadRuns };

/** The Runs of a customer in every status, newest first. */
export function listRuns({ cursors, readRuns }: Deps) {
  return (customerId: string, query: ListQuery) =>
    readPage(cursors, ['runs', customerId], query, (page) => readRuns(customerId, page));
}
