import { deleteWebhook } from '#shared/operations/customer/delete-webhook.ts';
import { pathId } from '#shared/runtime/path-id.ts';
import { now, wait } from '#shared/runtime/system.ts';
import { noteDone } from '../../wiring/activity.ts';
import { customerOperation, table } from '../../wiring/customer-operation.ts';

const remove = deleteWebhook({ table, now, wait });

export const handler = customerOperation('deleteWebhook', async (request) => {
  const webhookId = pathId(request.path, 'id', 'webhook');
  await remove(request.customerId, webhookId);
  await noteDone(request, { action: 'deleted', webhookId });
});
