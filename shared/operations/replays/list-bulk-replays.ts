import type { ListQuery } from '#shared/contract/list-query.ts';
import { inGroups } from '#shared/domain/in-groups.ts';
import type { CountedReplay } from '#shared/domain/replay-outcomes.ts';
import type { ReadDeliveryHistory } from '#shared/operations/customer/list-deliveries.ts';
import { found } from '#shared/operations/found.ts';
import { type Cursors, type ListPage, readPage } from '#shared/operations/paging.ts';
import { countOutcomes } from './count-outcomes.ts';
import type { ReadBulkReplays, ReadEndedReplays } from './ports.ts';

type Deps = {
  readonly cursors: Cursors;
  readonly readEndpoint: ReadDeliveryHistory;
  readonly readBulkReplays: ReadBulkReplays;
  readonly readEndedReplays: ReadEndedReplays;
};

/** The bulk replays of an endpoint, deleted or not, newest first. @throws Problem `not_found` */
export function listBulkReplays({ cursors, readEndpoint, readBulkReplays, readEndedReplays }: Deps) {
  const count = countOutcomes(readEndedReplays);
  return async (
    customerId: string,
    webhookId: string,
    query: ListQuery,
  ): Promise<ListPage<CountedReplay>> => {
    found(await readEndpoint(customerId, webhookId));
    const scope = ['bulk-replays', customerId, webhookId];
    const page = await readPage(cursors, scope, query, (at) => readBulkReplays(customerId, webhookId, at));
    return { ...page, rows: await inGroups(page.rows, count) };
  };
}
