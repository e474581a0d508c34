import { readDeliveryHistory } from '#shared/aws/table/endpoints/endpoints.ts';
import { readBulkReplays } from '#shared/aws/table/replays/bulk-replays.ts';
import type { ListQuery } from '#shared/contract/list-query.ts';
import { inGroups } from '#shared/domain/in-groups.ts';
import type { CountedReplay } from '#shared/domain/replay-outcomes.ts';
import { found } from '#shared/operations/found.ts';
import type { Needs } from '#shared/operations/needs.ts';
import { type ListPage, readPage } from '#shared/operations/paging.ts';
import { countOutcomes } from './count-outcomes.ts';

type Deps = Pick<Needs, 'table' | 'cursors'>;

/** Replays whose outcomes a page counts, those of the newest jobs: it reads 30 units for them, or half a unit for a job. */
const countedReplays = 20_000;

/** The bulk replays of an endpoint, deleted or not, newest first. @throws Problem `not_found` */
export function listBulkReplays({ table, cursors }: Deps) {
  return async (customerId: string, webhookId: string, query: ListQuery): Promise<ListPage<CountedReplay>> => {
    let left = countedReplays;
    found(await readDeliveryHistory(table, customerId, webhookId));
    const scope = ['bulk-replays', customerId, webhookId];
    const page = await readPage(cursors, scope, query, (at) => readBulkReplays(table, customerId, webhookId, at));
    const rows = page.rows.map((job) => {
      left -= job.replayed;
      return { job, isCounted: left >= 0 };
    });
    const counted = await inGroups(rows, async ({ job, isCounted }) =>
      isCounted ? await countOutcomes(table, job) : { ...job, outcomes: null },
    );
    return { ...page, rows: counted };
  };
}
