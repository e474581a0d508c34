import { GetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { expect, it } from 'vitest';
import type { Table } from '#shared/aws/clients.ts';
import { readConnection } from '#shared/aws/table/credentials/connections.ts';
import { readCursorSecret } from '#shared/aws/table/credentials/cursor-secret.ts';
import { findApiKey, readApiKeys } from '#shared/aws/table/credentials/customers.ts';
import { findPortalLink, readPortalLinks } from '#shared/aws/table/credentials/portal-links.ts';
import { listEndpointsSince, readAuditedDelivery } from '#shared/aws/table/deliveries/audit-reads.ts';
import { readRun } from '#shared/aws/table/results/runs.ts';
import { readChangeReports, readTracker } from '#shared/aws/table/results/trackers.ts';
import { isCreatorKnown, readRunItems } from '#shared/aws/table/results/videos.ts';
import { commandsOf, useMockTable } from '../../support/aws/aws-mocks.ts';
import { unexpected as noCall } from '../../support/operations/deps.ts';
import { buildDelivery } from '../../support/values/builders.ts';

const { table, mock } = useMockTable();

const page = { after: null, limit: 1 };
const creator = { platform: 'tiktok', handle: 'maker' };

const reads: Readonly<Record<string, (table: Table) => Promise<unknown>>> = {
  'an API key': (table) => findApiKey(table, 'hash'),
  'the API keys of a customer': (table) => readApiKeys(table, 'cus_1'),
  'a portal link': (table) => findPortalLink(table, 'hash'),
  'the portal links of a customer': (table) => readPortalLinks(table, 'cus_1'),
  'a connection': (table) => readConnection(table, 'con_1'),
  'the secret of cursors': (table) => readCursorSecret(table, noCall('randomBytes')),
  'a Run': (table) => readRun(table, 'cus_1', 'run_1'),
  'the items of a Run': (table) => readRunItems(table, 'cus_1', 'run_1', page),
  'a Tracker': (table) => readTracker(table, 'cus_1', 'trk_1'),
  'Change Reports': (table) => readChangeReports(table, 'cus_1', 'trk_1', page),
  'whether a creator is known': (table) => isCreatorKnown(table, 'cus_1', creator),
  'the endpoints of an audit': (table) => listEndpointsSince(table, 'cus_1', 0),
  'a delivery that the audit suspects': (table) => readAuditedDelivery(table, buildDelivery()),
};

// Emulators have one copy of each row. On AWS, another read may miss a revocation or what was just stored.
it.each(Object.entries(reads))('a read of %s is strongly consistent', async (_, read) => {
  mock.on(GetCommand).resolves({});
  mock.on(QueryCommand).resolves({ Items: [] });

  await read(table).catch(() => {});

  const asked = commandsOf(mock).map((command) => JSON.parse(JSON.stringify(Object.values(command)[0])));
  expect(asked.length).toBeGreaterThan(0);
  expect(asked.filter(({ ConsistentRead }) => ConsistentRead !== true)).toEqual([]);
});
