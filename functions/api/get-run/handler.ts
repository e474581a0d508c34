import { readRun } from '#shared/aws/table/results/runs.ts';
import { presentRun } from '#shared/contract/records/run.ts';
import { found } from '#shared/operations/found.ts';
import { setting } from '#shared/runtime/environment.ts';
import { enginePathId } from '#shared/runtime/path-id.ts';
import { customerOperation, table } from '../../wiring/customer-operation.ts';

const addresses = { baseUrl: setting('baseUrl'), docsUrl: setting('docsUrl') };

export const handler = customerOperation('getRun', async ({ customerId, path }) =>
  presentRun(found(await readRun(table, customerId, enginePathId(path, 'run'))), addresses),
);
