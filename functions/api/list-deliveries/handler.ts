import { listDeliveriesQuery, presentPage } from '#shared/contract/list-query.ts';
import { presentDelivery } from '#shared/contract/records/delivery.ts';
import { listDeliveries } from '#shared/operations/customer/list-deliveries.ts';
import { pathId } from '#shared/runtime/path-id.ts';
import { cursors } from '../../wiring/cursors.ts';
import { customerQuery, table } from '../../wiring/customer-operation.ts';

const list = listDeliveries({ cursors, table });

export const handler = customerQuery('listDeliveries', listDeliveriesQuery, async ({ customerId, path, query }) => {
  const webhookId = pathId(path, 'id', 'webhook');
  const page = await list(customerId, webhookId, query);
  return presentPage(page, presentDelivery);
});
