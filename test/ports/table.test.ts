import { describe } from 'vitest';
import { inProcessTable } from '../support/aws/in-process-table.ts';
import { useTable } from '../support/aws/table.ts';
import { groupedTablePorts, tablePorts } from '../support/table/table-ports.ts';
import { accessSuite } from './access-suite.ts';
import { attemptsSuite } from './attempts-suite.ts';
import { auditSuite } from './audit-suite.ts';
import { bulkReplaysSuite } from './bulk-replays-suite.ts';
import { endpointsSuite } from './endpoints-suite.ts';
import { owedNoticesSuite } from './owed-notices-suite.ts';
import { replayableSuite } from './replayable-suite.ts';
import { requestsSuite } from './requests-suite.ts';
import { runsSuite } from './runs-suite.ts';
import { waitingSuite } from './waiting-suite.ts';

const suites = [
  { name: 'attempts', suite: attemptsSuite },
  { name: 'credentials', suite: accessSuite },
  { name: 'waiting deliveries', suite: waitingSuite },
  { name: 'replays', suite: bulkReplaysSuite },
  { name: 'replayable deliveries', suite: replayableSuite },
  { name: 'endpoints', suite: endpointsSuite },
  { name: 'requests with a key', suite: requestsSuite },
  { name: 'owed notices', suite: owedNoticesSuite },
  { name: 'results', suite: runsSuite },
  { name: 'the audit', suite: auditSuite },
];

describe('the table in DynamoDB', () => {
  const { current } = useTable();

  describe.each(suites)('$name', ({ suite }) => suite(() => groupedTablePorts(current())));

  describe('attempts, each written alone', () => attemptsSuite(() => tablePorts(current())));
  describe('results, each written alone', () => runsSuite(() => tablePorts(current())));
  describe('results, where Runs are saved before they settle', () =>
    runsSuite(() => groupedTablePorts(current(), 'saved')));
});

describe.each(suites)('the table in this process: $name', ({ suite }) =>
  suite(() => groupedTablePorts(inProcessTable())),
);

describe('the table in this process: results, where Runs are saved before they settle', () =>
  runsSuite(() => groupedTablePorts(inProcessTable(), 'saved')));
