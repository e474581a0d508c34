import { listDeliveriesQuery, presentPage } from '#shared/contract/list-query.ts';
import { presentEndpointDelivery } from '#shared/contract/records/delivery.ts';
import { listAllDeliveries } from '#shared/operations/customer/list-deliveries.ts';
import { cursors } from '../../wiring/cursors.ts';
import { customerQuery, table } from '../../wiring/customer-operation.ts';

const list = listAllDeliveries({ cursors, table });

export const handler = customerQuery('listAllDeliveries', listDeliveriesQuery, async ({ customerId, query }) =>
  presentPage(await list(customerId, query), presentEndpointDelivery),
);
