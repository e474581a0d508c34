import { listQuery, presentPage } from '#shared/contract/list-query.ts';
import { presentWebhook } from '#shared/contract/records/webhook.ts';
import { listWebhooks } from '#shared/operations/customer/read-webhooks.ts';
import { now } from '#shared/runtime/system.ts';
import { cursors } from '../../wiring/cursors.ts';
import { customerQuery, table } from '../../wiring/customer-operation.ts';

const list = listWebhooks({ table, cursors });

export const handler = customerQuery('listWebhooks', listQuery, async ({ customerId, query }) => {
  const page = await list(customerId, query);
  const at = now();
  return presentPage(page, (endpoint) => presentWebhook(endpoint, at));
});
