import type { ListQuery, ListRunItemsQuery } from '#shared/contract/list-query.ts';
import { problem } from '#shared/contract/problem.ts';
import type { StoredRun, StoredVideo } from '#shared/contract/records/stored-results.ts';
import { found } from '#shared/operations/found.ts';
import { type Cursors, type PageRequest, type Rows, readPage } from '#shared/operations/paging.ts';

/** Reads a customer's Runs by the time they were created, newest first. */
export type ReadRuns = (customerId: string, page: PageRequest) => Promise<Rows<StoredRun>>;

type Deps = { readonly cursors: Cursors; readonly readRuns: ReadRuns };

/** The Runs of a customer in every status, newest first. */
export function listRuns({ cursors, readRuns }: Deps) {
  return (customerId: string, query: ListQuery) =>
    readPage(cursors, ['runs', customerId], query, (page) => readRuns(customerId, page));
}

/** Strongly consistent; `null` when the customer has no Run with this id. */
export type ReadRun = (customerId: string, runId: string) => Promise<StoredRun | null>;

/** Reads the items of a Run by the time they were posted, newest first; strongly consistent. */
export type ReadRunItems = (
  customerId: string,
  runId: string,
  page: PageRequest,
) => Promise<Rows<StoredVideo>>;

type ItemDeps = { readonly cursors: Cursors; readonly readRun: ReadRun; readonly readRunItems: ReadRunItems };

/** The items of a Run, newest first, once it has settled as completed or partial. */
export function listRunItems({ cursors, readRun, readRunItems }: ItemDeps) {
  return async (customerId: string, runId: string, { type, ...query }: ListRunItemsQuery) => {
    refuseUnready(found(await readRun(customerId, runId)));
    const scope = ['run-items', customerId, runId, type];
    return readPage(cursors, scope, query, (page) => readRunItems(customerId, runId, page));
  };
}

function refuseUnready({ status }: StoredRun): void {
  if (status === 'completed' || status === 'partial') return;
  throw problem('run_not_ready', {
    detail:
      status === 'failed'
        ? 'The Run failed: it will never have items'
        : `The Run is ${status}: poll it until it is completed or partial`,
  });
}
