import { readEndpoint } from '#shared/aws/table/endpoints.ts';
import { presentWebhook } from '#shared/contract/records/webhook.ts';
import { readWebhook } from '#shared/operations/customer/read-webhook.ts';
import { pathId } from '#shared/runtime/path-id.ts';
import { now } from '#shared/runtime/system.ts';
import { customerOperation, table } from '../../wiring/customer-operation.ts';

const read = readWebhook({ readEndpoint: readEndpoint(table) });

export const handler = customerOperation('getWebhook', async ({ customerId, path }) =>
  presentWebhook(await read(customerId, pathId(path, 'id', 'webhook')), now()),
);
