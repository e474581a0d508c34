import { describe } from 'vitest';
import { memoryTablePorts } from '../support/memory/table-ports.ts';
import { accessSuite } from './access-suite.ts';
import { attemptsSuite } from './attempts-suite.ts';
import { auditSuite } from './audit-suite.ts';
import { bulkReplaysSuite } from './bulk-replays-suite.ts';
import { endpointsSuite } from './endpoints-suite.ts';
import { lastDeliverySuite } from './last-delivery-suite.ts';
import { runsSuite } from './runs-suite.ts';
import { waitingSuite } from './waiting-suite.ts';

describe.each([
  { name: 'attempts', suite: attemptsSuite },
  { name: 'credentials', suite: accessSuite },
  { name: 'waiting deliveries', suite: waitingSuite },
  { name: 'replays', suite: bulkReplaysSuite },
  { name: 'endpoints', suite: endpointsSuite },
  { name: 'the last delivery', suite: lastDeliverySuite },
  { name: 'results', suite: runsSuite },
  { name: 'the audit', suite: auditSuite },
])('the table in memory: $name', ({ suite }) => suite(() => memoryTablePorts()));
