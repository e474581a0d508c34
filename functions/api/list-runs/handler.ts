import { readRuns } from '#shared/aws/table/runs.ts';
import { listQuery, presentPage } from '#shared/contract/list-query.ts';
import { presentRun } from '#shared/contract/records/run.ts';
import { listRuns } from '#shared/operations/customer/list-runs.ts';
import { setting } from '#shared/runtime/environment.ts';
import { backoff } from '#shared/runtime/system.ts';
import { parseQuery } from '#shared/runtime/validate.ts';
import { cursors } from '../../wiring/cursors.ts';
import { customerOperation, table } from '../../wiring/customer-operation.ts';

const list = listRuns({ cursors, readRuns: readRuns(table, backoff) });
const addresses = { baseUrl: setting('baseUrl'), docsUrl: setting('docsUrl') };

export const handler = customerOperation('listRuns', async ({ customerId, query }) => {
  const page = await list(customerId, parseQuery(listQuery, query));
  return presentPage(page, (run) => presentRun(run, addresses));
});
