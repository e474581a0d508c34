import { listQuery, presentPage } from '#shared/contract/list-query.ts';
import { presentActivity } from '#shared/contract/records/activity.ts';
import { listActivity } from '#shared/operations/customer/list-activity.ts';
import { pathId } from '#shared/runtime/path-id.ts';
import { cursors } from '../../wiring/cursors.ts';
import { customerQuery, table } from '../../wiring/customer-operation.ts';

const list = listActivity({ cursors, table });

export const handler = customerQuery('listActivity', listQuery, async ({ customerId, path, query }) =>
  presentPage(await list(customerId, pathId(path, 'id', 'webhook'), query), presentActivity),
);
