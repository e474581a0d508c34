import { readEndpoint } from '#shared/aws/table/endpoints.ts';
import { presentWebhook } from '#shared/contract/records/webhook.ts';
import { found } from '#shared/operations/customer/found.ts';
import { pathId } from '#shared/runtime/path-id.ts';
import { now } from '#shared/runtime/system.ts';
import { customerOperation, table } from '../../wiring/customer-operation.ts';

const read = readEndpoint(table);

export const handler = customerOperation('getWebhook', async ({ customerId, path }) =>
  presentWebhook(found(await read(customerId, pathId(path, 'id', 'webhook'))), now()),
);
