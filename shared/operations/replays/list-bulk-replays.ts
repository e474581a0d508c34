import type { ListQuery } from '#shared/contract/list-query.ts';
import type { BulkReplay } from '#shared/domain/bulk-replay.ts';
import type { ReadDeliveryHistory } from '#shared/operations/customer/list-deliveries.ts';
import { found } from '#shared/operations/found.ts';
import { type Cursors, type ListPage, readPage } from '#shared/operations/paging.ts';
import type { ReadBulkReplays } from './ports.ts';

type Deps = {
  readonly cursors: Cursors;
  readonly readEndpoint: ReadDeliveryHistory;
  readonly readBulkReplays: ReadBulkReplays;
};

/** The bulk replays of an endpoint, deleted or not, newest first. @throws Problem `not_found` */
export function listBulkReplays({ cursors, readEndpoint, readBulkReplays }: Deps) {
  return async (customerId: string, webhookId: string, query: ListQuery): Promise<ListPage<BulkReplay>> => {
    found(await readEndpoint(customerId, webhookId));
    const scope = ['bulk-replays', customerId, webhookId];
    return readPage(cursors, scope, query, (page) => readBulkReplays(customerId, webhookId, page));
  };
}
