import { presentBulkReplay } from '#shared/contract/records/bulk-replay.ts';
import { cancelBulkReplay } from '#shared/operations/replays/cancel-bulk-replay.ts';
import { countOutcomes } from '#shared/operations/replays/count-outcomes.ts';
import { replayPath } from '#shared/runtime/path-id.ts';
import { now } from '#shared/runtime/system.ts';
import { table } from '../../wiring/customer-operation.ts';
import { keyedOperation } from '../../wiring/keyed-operation.ts';

const cancel = cancelBulkReplay({ table, now });

export const handler = keyedOperation(
  'cancelBulkReplay',
  ({ path }) => replayPath(path),
  async (key, { customerId }, seed) => {
    const { job, ended } = await cancel({ customerId, ...key }, seed?.at);
    const { webhookId, id: subjectId } = job;
    return {
      body: presentBulkReplay(await countOutcomes(table, job)),
      done: ended ? { action: 'bulk_replay_cancelled', webhookId, subjectId } : null,
    };
  },
);
