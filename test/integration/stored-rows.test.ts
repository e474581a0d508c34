import { describe, expect, it } from 'vitest';
import { fromApiKeyItem } from '#shared/aws/table/credentials/customer-item.ts';
import { findApiKey, readApiKeys, readCustomers } from '#shared/aws/table/credentials/customers.ts';
import { readPortalLinks } from '#shared/aws/table/credentials/portal-links.ts';
import { listEndpointsSince, readAuditedDeliveries } from '#shared/aws/table/deliveries/audit-reads.ts';
import { readDeliveries } from '#shared/aws/table/deliveries/delivery-pages.ts';
import { deferDue, listOverdue } from '#shared/aws/table/deliveries/waiting.ts';
import { listListeners, listLiveEndpoints, readDeliveryHistory } from '#shared/aws/table/endpoints/endpoints.ts';
import { waitingAttributes } from '#shared/aws/table/keys.ts';
import { readRuns } from '#shared/aws/table/results/runs.ts';
import { readChangeReports } from '#shared/aws/table/results/trackers.ts';
import { readCreatorVideos, readRunItems } from '#shared/aws/table/results/videos.ts';
import { presentDelivery } from '#shared/contract/records/delivery.ts';
import { presentRun } from '#shared/contract/records/run.ts';
import { presentChangeReport } from '#shared/contract/records/tracker.ts';
import { presentWebhook } from '#shared/contract/records/webhook.ts';
import type { PageRequest, Rows } from '#shared/operations/paging.ts';
import { useTable } from '../support/aws/table.ts';
import { walkPages } from '../support/operations/walk-pages.ts';
import { buildEndpoint } from '../support/values/builders.ts';
import { type FixtureRow, putRows, rowsOf } from '../support/values/stored-rows.ts';

const { current } = useTable();

const customer = 'cus_rows';
const baseUrl = 'https://api.example.com';
const addresses = { baseUrl, docsUrl: baseUrl };
const readable = (rows: readonly FixtureRow[]) => rows.flatMap(({ shown }) => (shown === null ? [] : [shown]));
const unreadable = (rows: readonly FixtureRow[]) => rows.filter(({ shown }) => shown === null);

/** What was reported names the rows that are left out, and nothing of what they hold. */
function expectReported(rows: readonly FixtureRow[]): void {
  const { reports } = current();
  const keyName = ({ pk, sk }: { readonly pk: string; readonly sk: string }) => `${pk} ${sk}`;
  const named = reports.map((event) => (event.name === 'row.unreadable' ? keyName(event.key) : event.name));
  expect(new Set(named)).toEqual(new Set(unreadable(rows).map(({ row }) => keyName(row))));
  expect(JSON.stringify(reports)).not.toContain('secret');
}

const newestFirst = (rows: readonly FixtureRow[], attribute: string): readonly FixtureRow[] =>
  rows.toSorted((one, other) => (String(one.row[attribute]) < String(other.row[attribute]) ? 1 : -1));

const creator = { platform: 'tiktok', handle: 'maker' };
const webhookId = 'whe_01KAE000000000000000000009';
const brokenEndpoint = {
  pk: `CUS#${customer}`,
  sk: `TOMBSTONE#${webhookId}`,
  id: webhookId,
  delivery_partitions: 1,
};

type ReadPage = (page: PageRequest) => Promise<Rows<unknown>>;

/** A reader of pages, whose rows are shown as an answer shows them. */
const shown =
  <T>(read: (page: PageRequest) => Promise<Rows<T>>, show: (row: T) => unknown): ReadPage =>
  async (page) => {
    const { rows, next } = await read(page);
    return { rows: rows.map(show), next };
  };

const lists: readonly {
  readonly kind: string;
  readonly sortedBy: string;
  readonly of: () => ReadPage;
  /** Rows that the list needs beside its own. */
  readonly beside?: readonly FixtureRow[];
}[] = [
  {
    kind: 'runs',
    sortedBy: 'listed_sk',
    of: () =>
      shown(
        (page) => readRuns(current(), customer, page),
        (run) => presentRun(run, addresses),
      ),
  },
  {
    kind: 'run-items',
    sortedBy: 'sk',
    of: () => (page) => readRunItems(current(), customer, 'run_items', page),
  },
  {
    kind: 'creator-videos',
    sortedBy: 'listed_sk',
    of: () => (page) => readCreatorVideos(current(), customer, creator, page),
  },
  {
    kind: 'change-reports',
    sortedBy: 'sk',
    of: () =>
      shown(
        (page) => readChangeReports(current(), customer, 'trk_reports', page),
        (report) => presentChangeReport(report, 'trk_reports', baseUrl),
      ),
  },
  {
    kind: 'endpoints',
    sortedBy: 'sk',
    of: () => async () => {
      const endpoints = await listLiveEndpoints(current(), customer);
      const newest = endpoints.toSorted((one, other) => (one.id < other.id ? 1 : -1));
      return { rows: newest.map((endpoint) => presentWebhook(endpoint, 0)), next: null };
    },
  },
  {
    kind: 'deliveries',
    sortedBy: 'sk',
    beside: [{ says: 'without its URL and its status', row: brokenEndpoint, shown: null }],
    of: () =>
      shown(async (page) => {
        const endpoint = await readDeliveryHistory(current(), customer, webhookId);
        if (endpoint === null) throw new Error('The endpoint must have a history');
        return await readDeliveries(current(), endpoint, { ...page, matches: null });
      }, presentDelivery),
  },
];

describe('a list of rows that other releases wrote', () => {
  it.each(lists)(
    'a list shows every readable row, in order and in pages of any size: $kind',
    async ({ kind, sortedBy, of, beside = [] }) => {
      const rows = newestFirst(rowsOf(kind), sortedBy);
      await putRows(current(), [...rows, ...beside]);

      for (const limit of [1, 3, 100]) {
        const items = (await walkPages(of(), limit)).flat();
        expect(items).toMatchObject(readable(rows));
        expect(items).toHaveLength(readable(rows).length);
      }

      expectReported(rows);
    },
  );

  it('a list of rows that other releases wrote has filtered pages that go on behind deliveries that cannot be read', async () => {
    const rows = newestFirst(rowsOf('deliveries'), 'sk');
    await putRows(current(), rows);
    const endpoint = buildEndpoint({ customerId: customer, id: webhookId });
    const page: Rows<unknown> = await readDeliveries(current(), endpoint, {
      after: null,
      limit: 100,
      matches: ({ status }) => status === 'pending',
    });

    expect(page.rows).toHaveLength(1);
    expect(page.next).toBeNull();
  });
});

it('an API key whose revocation cannot be read is refused', async () => {
  const [unreadableKey] = unreadable(rowsOf('api-keys'));
  const row = { ...unreadableKey?.row, pk: 'KEY#hasha', sk: 'KEY' };
  await putRows(current(), [{ says: '', row, shown: null }]);

  await expect(findApiKey(current(), 'hasha')).rejects.toMatchObject({ name: 'UnreadableRow' });
  expect(() => fromApiKeyItem(row)).toThrow('revoked_at');
});

describe('what operators and workers read', () => {
  it.each<[string, () => Promise<readonly unknown[]>]>([
    ['customers', () => readCustomers(current())],
    ['api-keys', () => readApiKeys(current(), customer)],
    ['portal-links', () => readPortalLinks(current(), customer)],
  ])('lists those that can be read: %s', async (kind, read) => {
    const rows = rowsOf(kind);
    await putRows(current(), rows);

    expect(await read()).toMatchObject(readable(rows));
    expectReported(rows);
  });

  it('an event reaches every active endpoint, even one that no list can show', async () => {
    const rows = rowsOf('endpoints');
    await putRows(current(), rows);

    const listeners = await listListeners(current(), customer);

    const active = listeners.filter(({ status }) => status === 'active').map(({ id }) => id);
    const expected = rows.filter(({ listens }) => listens).map(({ row }) => row.id);
    expect(active.toSorted()).toEqual(expected.toSorted());
  });

  it('what operators and workers read audits the deliveries of every endpoint, also of one that cannot be read, and those that can be read', async () => {
    const rows = rowsOf('deliveries');
    await putRows(current(), [...rowsOf('endpoints'), ...rows]);
    const span = { from: 0, to: 2 ** 45 };

    const endpoints = await listEndpointsSince(current(), customer, 0);
    const found: string[] = [];
    for (const endpoint of endpoints) {
      for await (const page of readAuditedDeliveries(current(), endpoint, span))
        found.push(...page.map(({ key }) => key.id));
    }

    expect(endpoints).toHaveLength(rowsOf('endpoints').length);
    const known = rows.filter(({ row }) => row.status !== 'held').map(({ row }) => row.sk);
    expect(found.toSorted()).toEqual(known.toSorted());
    expect(current().reports).toHaveLength(rows.length - known.length);
  });

  it('the sweep skips unreadable deliveries and wakes the others', async () => {
    const rows = rowsOf('deliveries');
    const key = (id: string) => ({ customerId: customer, webhookId, id });
    const waiting = rows.map(({ row, ...rest }) => ({
      ...rest,
      row: { ...row, ...waitingAttributes(key(row.sk), 5), status: 'pending' },
    }));
    const bulk = { pk: 'BULK#1', sk: 'whd_x', waiting_pk: 'WAITING#0', waiting_sk: '00000000000001#x' };
    await putRows(current(), [...waiting, { says: 'of another kind', row: bulk, shown: null }]);

    const pages = await walkPages(async ({ after, limit }) => {
      const { overdue, next } = await listOverdue(current(), 0, 100, limit, after);
      return { rows: overdue, next };
    }, 1);
    const found = pages.flat();
    const woken = await Promise.all(found.map((overdue) => deferDue(current(), overdue, 900)));

    expect(found).toHaveLength(waiting.length);
    const broken = ['whose body is no event', 'that ended at no time', 'with a log that is text'];
    const expected = waiting.filter(({ says }) => !broken.includes(says)).map(({ row }) => row.sk);
    expect(woken.flatMap((delivery) => delivery?.id ?? []).toSorted()).toEqual(expected.toSorted());
    expect(current().reports).toHaveLength(broken.length + 1);
  });
});
