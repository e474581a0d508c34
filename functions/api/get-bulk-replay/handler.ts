import { readBulkReplay } from '#shared/aws/table/replays/bulk-replays.ts';
import { presentBulkReplay } from '#shared/contract/records/bulk-replay.ts';
import { getReplay } from '#shared/operations/replays/read-replay.ts';
import { replayPath } from '#shared/runtime/path-id.ts';
import { now } from '#shared/runtime/system.ts';
import { customerOperation, table } from '../../wiring/customer-operation.ts';

const read = getReplay({ now, readBulkReplay: readBulkReplay(table) });

export const handler = customerOperation('getBulkReplay', async ({ customerId, path }) =>
  presentBulkReplay(await read({ customerId, ...replayPath(path) })),
);
