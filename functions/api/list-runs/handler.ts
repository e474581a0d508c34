import { listQuery, presentPage } from '#shared/contract/list-query.ts';
import { presentRun } from '#shared/contract/records/run.ts';
import { listRuns } from '#shared/operations/customer/list-runs.ts';
import { setting } from '#shared/runtime/environment.ts';
import { cursors } from '../../wiring/cursors.ts';
import { customerQuery, table } from '../../wiring/customer-operation.ts';

const list = listRuns({ cursors, table });
const addresses = { baseUrl: setting('baseUrl'), docsUrl: setting('docsUrl') };

export const handler = customerQuery('listRuns', listQuery, async ({ customerId, query }) => {
  const page = await list(customerId, query);
  return presentPage(page, (run) => presentRun(run, addresses));
});
