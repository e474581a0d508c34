import { readRecentDeliveries } from '#shared/aws/table/deliveries/delivery-pages.ts';
import { readDeliveryHistory } from '#shared/aws/table/endpoints/endpoints.ts';
import { presentWebhookStats } from '#shared/contract/records/webhook-stats.ts';
import { readWebhookStats } from '#shared/operations/customer/read-webhook-stats.ts';
import { pathId } from '#shared/runtime/path-id.ts';
import { now } from '#shared/runtime/system.ts';
import { customerOperation, table } from '../../wiring/customer-operation.ts';

const read = readWebhookStats({
  now,
  readEndpoint: readDeliveryHistory(table),
  readRecentDeliveries: readRecentDeliveries(table),
});

export const handler = customerOperation('getWebhookStats', async ({ customerId, path }) => {
  const webhookId = pathId(path, 'id', 'webhook');
  return presentWebhookStats(webhookId, await read(customerId, webhookId));
});
