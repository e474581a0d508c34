import type { ListQuery } from '#shared/contract/list-query.ts';
import { problem } from '#shared/contract/problem.ts';
import { type BulkReplay, isExpired } from '#shared/domain/bulk-replay.ts';
import type { ReadDeliveryHistory } from '#shared/operations/customer/list-deliveries.ts';
import { type Cursors, type ListPage, openCursor, sealNext } from '#shared/operations/customer/paging.ts';
import type { Clock } from '#shared/operations/ports.ts';
import type { ReadBulkReplays } from './ports.ts';

type Deps = {
  readonly now: Clock;
  readonly cursors: Cursors;
  readonly readEndpoint: ReadDeliveryHistory;
  readonly readBulkReplays: ReadBulkReplays;
};

/** The bulk replays of an endpoint, deleted or not, newest first. @throws Problem `not_found` */
export function listReplays({ now, cursors, readEndpoint, readBulkReplays }: Deps) {
  return async (
    customerId: string,
    webhookId: string,
    { limit, cursor }: ListQuery,
  ): Promise<ListPage<BulkReplay>> => {
    if ((await readEndpoint(customerId, webhookId)) === null) throw problem('not_found');
    const scope = ['bulk-replays', customerId, webhookId];
    const after = await openCursor(cursors, scope, cursor);
    const { rows, next } = await readBulkReplays(customerId, webhookId, { after, limit });
    return sealNext(cursors, scope, { rows: rows.filter((job) => !isExpired(job, now())), next });
  };
}
