import type { ListRunItemsQuery } from '#shared/contract/list-query.ts';
import { problem } from '#shared/contract/problem.ts';
import type { StoredRun, StoredVideo } from '#shared/contract/records/stored-results.ts';
import { found } from './found.ts';
import { type Cursors, type ListPage, openCursor, type PageRequest, type Rows, sealNext } from './paging.ts';

/** Strongly consistent; `null` when the customer has no Run with this id. */
export type ReadRun = (customerId: string, runId: string) => Promise<StoredRun | null>;

/** Reads the items of a Run by the time they were posted, newest first; strongly consistent. */
export type ReadRunItems = (
  customerId: string,
  runId: string,
  page: PageRequest,
) => Promise<Rows<StoredVideo>>;

type Deps = { readonly cursors: Cursors; readonly readRun: ReadRun; readonly readRunItems: ReadRunItems };

/** The items of a Run, newest first, once it has settled as completed or partial. */
export function listRunItems({ cursors, readRun, readRunItems }: Deps) {
  return async (
    customerId: string,
    runId: string,
    { type, limit, cursor }: ListRunItemsQuery,
  ): Promise<ListPage<StoredVideo>> => {
    refuseUnready(found(await readRun(customerId, runId)));
    const scope = ['run-items', customerId, runId, type];
    const after = await openCursor(cursors, scope, cursor);
    const rows = await readRunItems(customerId, runId, { after, limit });
    return sealNext(cursors, scope, rows);
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
