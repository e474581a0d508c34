import { presentWebhookStats, webhookStatsQuery } from '#shared/contract/records/webhook-stats.ts';
import { readWebhookStats } from '#shared/operations/customer/read-webhook-stats.ts';
import { pathId } from '#shared/runtime/path-id.ts';
import { now } from '#shared/runtime/system.ts';
import { customerQuery, table } from '../../wiring/customer-operation.ts';

const read = readWebhookStats({ now, table });

export const handler = customerQuery(
  'getWebhookStats',
  webhookStatsQuery,
  async ({ customerId, path, query: { window }, payRequest }) => {
    const webhookId = pathId(path, 'id', 'webhook');
    return presentWebhookStats(webhookId, await read({ customerId, webhookId, window, payRequest }));
  },
);
