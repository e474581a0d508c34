import { readBulkReplay } from '#shared/aws/table/replays/bulk-replays.ts';
import { readEndedReplays } from '#shared/aws/table/replays/replay-tallies.ts';
import { presentBulkReplay } from '#shared/contract/records/bulk-replay.ts';
import { found } from '#shared/operations/found.ts';
import { countOutcomes } from '#shared/operations/replays/count-outcomes.ts';
import { replayPath } from '#shared/runtime/path-id.ts';
import { customerOperation, table } from '../../wiring/customer-operation.ts';

const read = readBulkReplay(table);
const count = countOutcomes(readEndedReplays(table));

export const handler = customerOperation('getBulkReplay', async ({ customerId, path }) =>
  presentBulkReplay(await count(found(await read({ customerId, ...replayPath(path) })))),
);
