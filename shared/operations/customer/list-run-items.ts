import type { ListRunItemsQuery, Page } from '#shared/contract/list-query.ts';
import { problem } from '#shared/contract/problem.ts';
import type { StoredRun } from '#shared/contract/records/stored-results.ts';
import type { VideoRecord } from '#shared/contract/records/video.ts';
import { type Cursors, type Rows, readPage } from './paging.ts';
import { type ReadRun, readRun } from './read-run.ts';

/** Reads the items of a Run by the time they were posted, newest first; strongly consistent. */
export type ReadRunItems = (
  customerId: string,
  runId: string,
  page: { readonly after: string | null; readonly limit: number },
) => Promise<Rows<VideoRecord>>;

type Deps = { readonly readRun: ReadRun; readonly readRunItems: ReadRunItems; readonly cursors: Cursors };

/** What a Run found, once it has settled as completed or partial; newest first. */
export function listRunItems(deps: Deps) {
  const read = readRun(deps);
  return async (customerId: string, runId: string, query: ListRunItemsQuery): Promise<Page<VideoRecord>> => {
    refuseUnready(await read(customerId, runId));
    return readPage(
      deps.cursors,
      ['run-items', customerId, runId, query.type],
      query,
      (page) => deps.readRunItems(customerId, runId, page),
      (video) => video,
    );
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
