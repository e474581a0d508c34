import type { ListQuery } from '#shared/contract/list-query.ts';
import type { Activity } from '#shared/domain/activity.ts';
import { found } from '#shared/operations/found.ts';
import {
  type Cursors,
  type ListPage,
  type PageRequest,
  type Rows,
  readPage,
} from '#shared/operations/paging.ts';
import type { ReadDeliveryHistory } from './list-deliveries.ts';

/** A page of what was done to an endpoint in the last 90 days, newest first. */
export type ReadActivity = (
  customerId: string,
  webhookId: string,
  page: PageRequest,
) => Promise<Rows<Activity>>;

type Deps = {
  readonly cursors: Cursors;
  readonly readEndpoint: ReadDeliveryHistory;
  readonly readActivity: ReadActivity;
};

/** What was done to an endpoint, deleted or not, newest first. @throws Problem `not_found` */
export function listActivity({ cursors, readEndpoint, readActivity }: Deps) {
  return async (customerId: string, webhookId: string, query: ListQuery): Promise<ListPage<Activity>> => {
    found(await readEndpoint(customerId, webhookId));
    const scope = ['activity', customerId, webhookId];
    return readPage(cursors, scope, query, (page) => readActivity(customerId, webhookId, page));
  };
}
