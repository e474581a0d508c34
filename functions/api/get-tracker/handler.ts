import { readTracker } from '#shared/aws/table/results/trackers.ts';
import { presentTracker } from '#shared/contract/records/tracker.ts';
import { found } from '#shared/operations/found.ts';
import { setting } from '#shared/runtime/environment.ts';
import { enginePathId } from '#shared/runtime/path-id.ts';
import { customerOperation, table } from '../../wiring/customer-operation.ts';

const baseUrl = setting('baseUrl');

export const handler = customerOperation('getTracker', async ({ customerId, path }) =>
  presentTracker(found(await readTracker(table, customerId, enginePathId(path, 'tracker'))), baseUrl),
);
