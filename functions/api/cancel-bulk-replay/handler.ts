import { endBulkReplay } from '#shared/aws/table/replays/bulk-replays.ts';
import { presentBulkReplay } from '#shared/contract/records/bulk-replay.ts';
import { cancelBulkReplay } from '#shared/operations/replays/cancel-bulk-replay.ts';
import { replayPath } from '#shared/runtime/path-id.ts';
import { backoff, now } from '#shared/runtime/system.ts';
import { customerOperation, table } from '../../wiring/customer-operation.ts';

const cancel = cancelBulkReplay({ now, endBulkReplay: endBulkReplay(table, backoff) });

export const handler = customerOperation('cancelBulkReplay', async ({ customerId, path }) =>
  presentBulkReplay(await cancel({ customerId, ...replayPath(path) })),
);
