import { readChangeReports, readTracker } from '#shared/aws/table/trackers.ts';
import { listQuery } from '#shared/contract/list-query.ts';
import { listChangeReports } from '#shared/operations/customer/list-change-reports.ts';
import { enginePathId } from '#shared/runtime/engine-path.ts';
import { setting } from '#shared/runtime/environment.ts';
import { parseQuery } from '#shared/runtime/validate.ts';
import { cursors } from '../../wiring/cursors.ts';
import { customerOperation, table } from '../../wiring/customer-operation.ts';

const list = listChangeReports({
  cursors,
  readTracker: readTracker(table),
  readChangeReports: readChangeReports(table),
  baseUrl: setting('baseUrl'),
});

export const handler = customerOperation('listChangeReports', ({ customerId, path, query }) =>
  list(customerId, enginePathId(path, 'tracker'), parseQuery(listQuery, query)),
);
