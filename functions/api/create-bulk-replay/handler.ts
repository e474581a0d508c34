import { bulkReplayPorts } from '#shared/aws/bulk-replay-ports.ts';
import { connectQueues } from '#shared/aws/clients.ts';
import { readEndedReplays } from '#shared/aws/table/replays/replay-tallies.ts';
import { bulkReplayBody, presentBulkReplay } from '#shared/contract/records/bulk-replay.ts';
import { countOutcomes } from '#shared/operations/replays/count-outcomes.ts';
import { startBulkReplay } from '#shared/operations/replays/start-bulk-replay.ts';
import { setting } from '#shared/runtime/environment.ts';
import { pathId } from '#shared/runtime/path-id.ts';
import { backoff, now, randomBytes } from '#shared/runtime/system.ts';
import { report } from '#shared/runtime/telemetry.ts';
import { parseBody } from '#shared/runtime/validate.ts';
import { table } from '../../wiring/customer-operation.ts';
import { keyedOperation } from '../../wiring/keyed-operation.ts';

const count = countOutcomes(readEndedReplays(table));
const start = startBulkReplay({
  now,
  randomBytes,
  report,
  ...bulkReplayPorts(table, connectQueues(), setting('replayQueueUrl'), backoff),
});

export const handler = keyedOperation(
  'createBulkReplay',
  ({ path, body }) => ({ webhookId: pathId(path, 'id', 'webhook'), ...parseBody(bulkReplayBody, body) }),
  async (given, { customerId, principal }, seed) => {
    const requestedBy = { by: 'customer', credentialId: principal.credentialId } as const;
    return presentBulkReplay(await count(await start({ customerId, ...given, requestedBy }, seed)));
  },
  ({ id, webhook_id: webhookId }) => ({ action: 'bulk_replay_started', webhookId, subjectId: id }),
);
