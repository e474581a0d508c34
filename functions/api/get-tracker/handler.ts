import { readTracker } from '#shared/aws/table/results/trackers.ts';
import { presentTracker } from '#shared/contract/records/tracker.ts';
import { found } from '#shared/operations/found.ts';
import { setting } from '#shared/runtime/environment.ts';
import { enginePathId } from '#shared/runtime/path-id.ts';
import { customerOperation, table } from '../../wiring/customer-operation.ts';

const read = readTracker(table);
const baseUrl = setting('baseUrl');

export const handler = customerOperation('getTracker', async ({ customerId, path }) =>
  presentTracker(found(await read(customerId, enginePathId(path, 'tracker'))), baseUrl),
);
