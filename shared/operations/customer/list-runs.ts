import { readRun, readRuns } from '#shared/aws/table/results/runs.ts';
import { readRunItems } from '#shared/aws/table/results/videos.ts';
import type { ListQuery, ListRunItemsQuery } from '#shared/contract/list-query.ts';
import { problem } from '#shared/contract/problem.ts';
import type { StoredRun } from '#shared/contract/records/stored-results.ts';
import { found } from '#shared/operations/found.ts';
import type { Needs } from '#shared/operations/needs.ts';
import { readPage } from '#shared/operations/paging.ts';

type Deps = Pick<Needs, 'cursors' | 'table'>;

/** The Runs of a customer in every status, newest first. */
export function listRuns({ cursors, table }: Deps) {
  return (customerId: string, query: ListQuery) =>
    readPage(cursors, ['runs', customerId], query, (page) => readRuns(table, customerId, page));
}

/** The items of a Run, newest first, once it has settled as completed or partial. */
export function listRunItems({ cursors, table }: Deps) {
  return async (customerId: string, runId: string, { type, ...query }: ListRunItemsQuery) => {
    refuseUnready(found(await readRun(table, customerId, runId)));
    const scope = ['run-items', customerId, runId, type];
    return readPage(cursors, scope, query, (page) => readRunItems(table, customerId, runId, page));
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
