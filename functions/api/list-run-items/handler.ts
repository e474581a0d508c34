import { listRunItemsQuery, presentPage } from '#shared/contract/list-query.ts';
import { listRunItems } from '#shared/operations/customer/list-runs.ts';
import { enginePathId } from '#shared/runtime/path-id.ts';
import { cursors } from '../../wiring/cursors.ts';
import { customerQuery, table } from '../../wiring/customer-operation.ts';

const list = listRunItems({ cursors, table });

export const handler = customerQuery('listRunItems', listRunItemsQuery, async ({ customerId, path, query }) => {
  const page = await list(customerId, enginePathId(path, 'run'), query);
  return presentPage(page, (video) => video);
});
