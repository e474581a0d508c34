import { describe } from 'vitest';
import type { Table } from '#shared/aws/clients.ts';
import { missingDynoxide, startDynoxide } from '../support/aws/dynoxide.ts';
import { inProcessTable } from '../support/aws/in-process-table.ts';
import { useTable } from '../support/aws/table.ts';
import { groupedTablePorts, type TablePorts, tablePorts } from '../support/table/table-ports.ts';
import { accessSuite } from './access-suite.ts';
import { attemptsSuite } from './attempts-suite.ts';
import { auditSuite } from './audit-suite.ts';
import { bulkReplaysSuite } from './bulk-replays-suite.ts';
import { endpointsSuite } from './endpoints-suite.ts';
import { replayableSuite } from './replayable-suite.ts';
import { requestsSuite } from './requests-suite.ts';
import { runsSuite } from './runs-suite.ts';
import { waitingSuite } from './waiting-suite.ts';

type Suite = readonly [
  name: string,
  suite: (connect: () => TablePorts) => void,
  portsOf?: (table: Table) => TablePorts,
];

const suites: readonly Suite[] = [
  ['attempts', attemptsSuite],
  ['attempts, each written alone', attemptsSuite, (table) => tablePorts(table)],
  ['credentials', accessSuite],
  ['waiting deliveries', waitingSuite],
  ['replays', bulkReplaysSuite],
  ['replayable deliveries', replayableSuite],
  ['endpoints', endpointsSuite],
  ['requests with a key', requestsSuite],
  ['results', runsSuite],
  ['results, each written alone', runsSuite, (table) => tablePorts(table)],
  ['results, where Runs are saved before they settle', runsSuite, (table) => groupedTablePorts(table, 'saved')],
  ['the audit', auditSuite],
];

function suitesOn(connect: () => Table): void {
  for (const [name, suite, portsOf = groupedTablePorts] of suites)
    describe(name, () => suite(() => portsOf(connect())));
}

describe('the table in this process', () => suitesOn(inProcessTable));

/** The DynamoDB of others, where npm has one: both answer alike to whatever the adapters ask. */
describe('the table in DynamoDB', () =>
  suitesOn(useTable(missingDynoxide() === null ? startDynoxide : undefined).current));
