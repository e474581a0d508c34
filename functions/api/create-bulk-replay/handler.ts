import { connectQueues } from '#shared/aws/clients.ts';
import { sendReplayStep } from '#shared/aws/queues/replay-queue.ts';
import { bulkReplayBody, presentBulkReplay } from '#shared/contract/records/bulk-replay.ts';
import { countOutcomes } from '#shared/operations/replays/count-outcomes.ts';
import { startBulkReplay } from '#shared/operations/replays/start-bulk-replay.ts';
import { setting } from '#shared/runtime/environment.ts';
import { pathId } from '#shared/runtime/path-id.ts';
import { now, randomBytes } from '#shared/runtime/system.ts';
import { report } from '#shared/runtime/telemetry.ts';
import { parseBody } from '#shared/runtime/validate.ts';
import { table } from '../../wiring/customer-operation.ts';
import { keyedOperation } from '../../wiring/keyed-operation.ts';

const start = startBulkReplay({
  table,
  now,
  randomBytes,
  report,
  sendReplayStep: sendReplayStep(connectQueues(), setting('replayQueueUrl')),
});

export const handler = keyedOperation(
  'createBulkReplay',
  ({ path, body }) => ({ webhookId: pathId(path, 'id', 'webhook'), ...parseBody(bulkReplayBody, body) }),
  async (given, { customerId, principal }, seed) => {
    const requestedBy = { by: 'customer', credentialId: principal.credentialId } as const;
    const job = await start({ customerId, ...given, requestedBy }, seed);
    const { webhookId, id: subjectId } = job;
    return {
      body: presentBulkReplay(await countOutcomes(table, job)),
      done: { action: 'bulk_replay_started', webhookId, subjectId },
    };
  },
);
