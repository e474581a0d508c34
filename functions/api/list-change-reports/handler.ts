import { listQuery, presentPage } from '#shared/contract/list-query.ts';
import { presentChangeReport } from '#shared/contract/records/tracker.ts';
import { listChangeReports } from '#shared/operations/customer/list-change-reports.ts';
import { setting } from '#shared/runtime/environment.ts';
import { enginePathId } from '#shared/runtime/path-id.ts';
import { cursors } from '../../wiring/cursors.ts';
import { customerQuery, table } from '../../wiring/customer-operation.ts';

const list = listChangeReports({ cursors, table });
const baseUrl = setting('baseUrl');

export const handler = customerQuery('listChangeReports', listQuery, async ({ customerId, path, query }) => {
  const trackerId = enginePathId(path, 'tracker');
  const page = await list(customerId, trackerId, query);
  return presentPage(page, (report) => presentChangeReport(report, trackerId, baseUrl));
});
