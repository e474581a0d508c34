import { presentWebhook } from '#shared/contract/records/webhook.ts';
import { getWebhook } from '#shared/operations/customer/read-webhooks.ts';
import { pathId } from '#shared/runtime/path-id.ts';
import { now } from '#shared/runtime/system.ts';
import { customerOperation, table } from '../../wiring/customer-operation.ts';

export const handler = customerOperation('getWebhook', async ({ customerId, path }) =>
  presentWebhook(await getWebhook(table, customerId, pathId(path, 'id', 'webhook')), now()),
);
