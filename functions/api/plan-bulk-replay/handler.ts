import { bulkReplayBody, presentBulkReplayPlan } from '#shared/contract/records/bulk-replay.ts';
import { planBulkReplay } from '#shared/operations/replays/plan-bulk-replay.ts';
import { pathId } from '#shared/runtime/path-id.ts';
import { now } from '#shared/runtime/system.ts';
import { parseBody } from '#shared/runtime/validate.ts';
import { customerOperation, table } from '../../wiring/customer-operation.ts';

const plan = planBulkReplay({ table, now });

export const handler = customerOperation('planBulkReplay', async ({ customerId, path, body, countRequest }) => {
  const webhookId = pathId(path, 'id', 'webhook');
  const request = parseBody(bulkReplayBody, body);
  return presentBulkReplayPlan(await plan({ customerId, webhookId, ...request, countRequest }));
});
