import { connectQueues } from '#shared/aws/clients.ts';
import { sendReplayStep } from '#shared/aws/queues/replay-queue.ts';
import { readEndpoint } from '#shared/aws/table/endpoints/endpoints.ts';
import {
  readBulkReplays,
  readRunningReplay,
  storeBulkReplay,
} from '#shared/aws/table/replays/bulk-replays.ts';
import { bulkReplayBody, presentBulkReplay } from '#shared/contract/records/bulk-replay.ts';
import { startReplay } from '#shared/operations/replays/start-replay.ts';
import { setting } from '#shared/runtime/environment.ts';
import { pathId } from '#shared/runtime/path-id.ts';
import { backoff, now, randomBytes } from '#shared/runtime/system.ts';
import { report } from '#shared/runtime/telemetry.ts';
import { parseBody } from '#shared/runtime/validate.ts';
import { customerOperation, table } from '../../wiring/customer-operation.ts';

const start = startReplay({
  now,
  randomBytes,
  report,
  readEndpoint: readEndpoint(table),
  readRunningReplay: readRunningReplay(table),
  readBulkReplays: readBulkReplays(table),
  storeBulkReplay: storeBulkReplay(table, backoff),
  sendReplayStep: sendReplayStep(connectQueues(), setting('replayQueueUrl')),
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
