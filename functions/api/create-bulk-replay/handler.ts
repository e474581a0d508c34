import { bulkReplayPorts } from '#shared/aws/bulk-replay-ports.ts';
import { connectQueues } from '#shared/aws/clients.ts';
import { bulkReplayBody, presentBulkReplay } from '#shared/contract/records/bulk-replay.ts';
import { startBulkReplay } from '#shared/operations/replays/start-bulk-replay.ts';
import { setting } from '#shared/runtime/environment.ts';
import { pathId } from '#shared/runtime/path-id.ts';
import { backoff, now, randomBytes } from '#shared/runtime/system.ts';
import { report } from '#shared/runtime/telemetry.ts';
import { parseBody } from '#shared/runtime/validate.ts';
import { customerOperation, table } from '../../wiring/customer-operation.ts';

const start = startBulkReplay({
  now,
  randomBytes,
  report,
  ...bulkReplayPorts(table, connectQueues(), setting('replayQueueUrl'), backoff),
});

export const handler = customerOperation(
  'createBulkReplay',
  async ({ customerId, principal, path, body }) => {
    const webhookId = pathId(path, 'id', 'webhook');
    const given = parseBody(bulkReplayBody, body);
    const job = await start({
      customerId,
      webhookId,
      ...given,
      requestedBy: { by: 'customer', credentialId: principal.credentialId },
    });
    return presentBulkReplay(job);
  },
);
