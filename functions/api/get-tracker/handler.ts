import { readTracker as readStored } from '#shared/aws/table/trackers.ts';
import { presentTracker } from '#shared/contract/records/tracker.ts';
import { readTracker } from '#shared/operations/customer/read-tracker.ts';
import { enginePathId } from '#shared/runtime/engine-path.ts';
import { setting } from '#shared/runtime/environment.ts';
import { customerOperation, table } from '../../wiring/customer-operation.ts';

const read = readTracker({ readTracker: readStored(table) });
const baseUrl = setting('baseUrl');

export const handler = customerOperation('getTracker', async ({ customerId, path }) =>
  presentTracker(await read(customerId, enginePathId(path, 'tracker')), baseUrl),
);
