import { endBulkReplay } from '#shared/aws/table/replays/bulk-replays.ts';
import { presentBulkReplay } from '#shared/contract/records/bulk-replay.ts';
import { cancelBulkReplay } from '#shared/operations/replays/cancel-bulk-replay.ts';
import { replayPath } from '#shared/runtime/path-id.ts';
import { backoff, now } from '#shared/runtime/system.ts';
import { table } from '../../wiring/customer-operation.ts';
import { keyedOperation } from '../../wiring/keyed-operation.ts';

const cancel = cancelBulkReplay({ now, endBulkReplay: endBulkReplay(table, backoff) });

export const handler = keyedOperation(
  'cancelBulkReplay',
  ({ path }) => replayPath(path),
  async (key, { customerId }) => presentBulkReplay(await cancel({ customerId, ...key })),
);
