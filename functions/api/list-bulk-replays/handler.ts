import { listQuery, presentPage } from '#shared/contract/list-query.ts';
import { presentBulkReplay } from '#shared/contract/records/bulk-replay.ts';
import { listBulkReplays } from '#shared/operations/replays/list-bulk-replays.ts';
import { pathId } from '#shared/runtime/path-id.ts';
import { cursors } from '../../wiring/cursors.ts';
import { customerQuery, table } from '../../wiring/customer-operation.ts';

const list = listBulkReplays({ table, cursors });

export const handler = customerQuery('listBulkReplays', listQuery, async ({ customerId, path, query }) =>
  presentPage(await list(customerId, pathId(path, 'id', 'webhook'), query), presentBulkReplay),
);
