import { readDelivery as readStored } from '#shared/aws/table/deliveries.ts';
import { presentDeliveryWithLog } from '#shared/contract/records/delivery.ts';
import { readDelivery } from '#shared/operations/customer/read-delivery.ts';
import { deliveryPath } from '#shared/runtime/path-id.ts';
import { customerOperation, table } from '../../wiring/customer-operation.ts';

const read = readDelivery({ readDelivery: readStored(table) });

export const handler = customerOperation('getDelivery', async ({ customerId, path }) =>
  presentDeliveryWithLog(await read({ customerId, ...deliveryPath(path) })),
);
