import { readDelivery } from '#shared/aws/table/deliveries/deliveries.ts';
import { presentDeliveryWithLog, presentHeaders } from '#shared/contract/records/delivery.ts';
import { found } from '#shared/operations/found.ts';
import { deliveryPath } from '#shared/runtime/path-id.ts';
import { customerOperation, table } from '../../wiring/customer-operation.ts';
import { headerSettings } from '../../wiring/header-settings.ts';

export const handler = customerOperation('getDelivery', async ({ customerId, path }) => {
  const delivery = found(await readDelivery(table, { customerId, ...deliveryPath(path) }));
  return {
    ...presentDeliveryWithLog(delivery),
    request_headers: presentHeaders(headerSettings, delivery),
  };
});
