import { readBulkReplay } from '#shared/aws/table/replays/bulk-replays.ts';
import { presentBulkReplay } from '#shared/contract/records/bulk-replay.ts';
import { found } from '#shared/operations/found.ts';
import { replayPath } from '#shared/runtime/path-id.ts';
import { customerOperation, table } from '../../wiring/customer-operation.ts';

const read = readBulkReplay(table);

export const handler = customerOperation('getBulkReplay', async ({ customerId, path }) =>
  presentBulkReplay(found(await read({ customerId, ...replayPath(path) }))),
);
