import { readActivity } from '#shared/aws/table/endpoints/activity.ts';
import { readDeliveryHistory } from '#shared/aws/table/endpoints/endpoints.ts';
import type { ListQuery } from '#shared/contract/list-query.ts';
import type { Activity } from '#shared/domain/activity.ts';
import { found } from '#shared/operations/found.ts';
import type { Needs } from '#shared/operations/needs.ts';
import { type ListPage, readPage } from '#shared/operations/paging.ts';

type Deps = Pick<Needs, 'cursors' | 'table'>;

/** What was done to an endpoint, deleted or not, newest first. @throws Problem `not_found` */
export function listActivity({ cursors, table }: Deps) {
  return async (customerId: string, webhookId: string, query: ListQuery): Promise<ListPage<Activity>> => {
    found(await readDeliveryHistory(table, customerId, webhookId));
    const scope = ['activity', customerId, webhookId];
    return readPage(cursors, scope, query, (page) => readActivity(table, customerId, webhookId, page));
  };
}
