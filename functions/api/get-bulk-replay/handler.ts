import { readBulkReplay } from '#shared/aws/table/replays/bulk-replays.ts';
import { presentBulkReplay } from '#shared/contract/records/bulk-replay.ts';
import { found } from '#shared/operations/found.ts';
import { countOutcomes } from '#shared/operations/replays/count-outcomes.ts';
import { replayPath } from '#shared/runtime/path-id.ts';
import { customerOperation, table } from '../../wiring/customer-operation.ts';

export const handler = customerOperation('getBulkReplay', async ({ customerId, path }) =>
  presentBulkReplay(
    await countOutcomes(table, found(await readBulkReplay(table, { customerId, ...replayPath(path) }))),
  ),
);
