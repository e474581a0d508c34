import { beforeAll, expect, it } from 'vitest';
import { storeActivity } from '#shared/aws/table/endpoints/activity.ts';
import { eventReplayKey } from '#shared/aws/table/keys.ts';
import { storeSettledRunWithFanOut } from '#shared/aws/table/results/runs.ts';
import { storeChangeReport } from '#shared/aws/table/results/trackers.ts';
import { storeCreatorVideos, storeRunItems } from '#shared/aws/table/results/videos.ts';
import type { ListDeliveriesQuery } from '#shared/contract/list-query.ts';
import { deliveryId, digest } from '#shared/domain/derived-id.ts';
import { makeId } from '#shared/domain/ids.ts';
import { listActivity } from '#shared/operations/customer/list-activity.ts';
import { listChangeReports } from '#shared/operations/customer/list-change-reports.ts';
import { listCreatorVideos } from '#shared/operations/customer/list-creator-videos.ts';
import { listAllDeliveries, listDeliveries } from '#shared/operations/customer/list-deliveries.ts';
import { listRunItems, listRuns } from '#shared/operations/customer/list-runs.ts';
import { listWebhooks } from '#shared/operations/customer/read-webhooks.ts';
import { listBulkReplays } from '#shared/operations/replays/list-bulk-replays.ts';
import { cursors } from '../../../support/operations/cursors.ts';
import { recordStore } from '../../../support/table/record-store.ts';
import {
  buildBulkReplay,
  buildDelivery,
  buildEndpoint,
  customerId,
  deliveryIdNumber,
  eventId,
  handshakeBody,
  hour,
  otherWebhookId,
  runBody,
  startOfTest,
  webhookId,
} from '../../../support/values/builders.ts';
import { buildReport, buildSettledRun, buildVideo } from '../../../support/values/stored-results.ts';

const endpoints = [webhookId, otherWebhookId].map((id) => buildEndpoint({ id }));
const otherEventId = makeId('event', startOfTest, digest('other event'));
const { table, records } = recordStore();
const deps = {
  cursors,
  now: () => startOfTest,
  table,
  supportedPlatforms: new Set(['tiktok', 'youtube']),
};

type Page = { readonly limit: number; readonly cursor?: string };
type List = (page: Page) => Promise<{ readonly nextCursor: string | null }>;

const filters: readonly Partial<ListDeliveriesQuery>[] = [
  {},
  { status: 'failed' },
  { status: 'delivered' },
  { event_type: 'webhook.test' },
  { status: 'failed', event_type: 'webhook.test' },
  { event_id: eventId },
  { event_id: otherEventId },
  { run_id: 'run_1' },
  { event_id: eventId, run_id: 'run_1' },
  { created_after: startOfTest },
  { created_before: startOfTest + hour },
  { created_after: startOfTest, created_before: startOfTest + hour },
  { created_after: startOfTest, created_before: startOfTest + hour, status: 'failed' },
];

/** The lists of one customer, with each parent and filter that tells two of them apart. */
const listsOf = (of: string): Readonly<Record<string, List>> => ({
  webhooks: (asked) => listWebhooks(deps)(of, asked),
  Runs: (asked) => listRuns(deps)(of, asked),
  'items of a Run': (asked) => listRunItems(deps)(of, 'run_1', { ...asked, type: 'videos' }),
  'items of another Run': (asked) => listRunItems(deps)(of, 'run_2', { ...asked, type: 'videos' }),
  'changes of a Tracker': (asked) => listChangeReports(deps)(of, 'trk_1', asked),
  'changes of another Tracker': (asked) => listChangeReports(deps)(of, 'trk_2', asked),
  'videos of a creator': (asked) => listCreatorVideos(deps)(of, { platform: 'tiktok', handle: 'one' }, asked),
  'videos of another': (asked) => listCreatorVideos(deps)(of, { platform: 'tiktok', handle: 'two' }, asked),
  'videos elsewhere': (asked) => listCreatorVideos(deps)(of, { platform: 'youtube', handle: 'one' }, asked),
  'bulk replays': (asked) => listBulkReplays(deps)(of, webhookId, asked),
  'bulk replays of another endpoint': (asked) => listBulkReplays(deps)(of, otherWebhookId, asked),
  activity: (asked) => listActivity(deps)(of, webhookId, asked),
  'activity of another endpoint': (asked) => listActivity(deps)(of, otherWebhookId, asked),
  'deliveries of another endpoint': (asked) => listDeliveries(deps)(of, otherWebhookId, asked),
  ...filtered('deliveries', (query) => listDeliveries(deps)(of, webhookId, query)),
  ...filtered('all deliveries', (query) => listAllDeliveries(deps)(of, query)),
});

const filtered = (name: string, list: (query: ListDeliveriesQuery) => ReturnType<List>) =>
  Object.fromEntries(
    filters.map((filter) => [`${name} ${JSON.stringify(filter)}`, (asked: Page) => list({ ...asked, ...filter })]),
  );

const lists = [customerId, 'cus_other'].flatMap((of) =>
  Object.entries(listsOf(of)).map(([name, list]) => ({ name: `${name} of ${of}`, list })),
);

const run = { id: 'run_1', kind: 'tracker_cycle', status: 'completed', chargeUsd: 0.1, trackerId: null };
const fanOut = { eventId, acceptedAt: startOfTest, deliveries: [] };

/** Of each event and each filter two. */
function putDeliveries(owner: { readonly customerId: string; readonly webhookId: string }): void {
  for (const [number, event] of [eventId, otherEventId].entries()) {
    const id = deliveryId(startOfTest, digest(event), 1);
    const original = buildDelivery({ ...owner, id, body: runBody.replace(eventId, event), status: 'failed' });
    const replay = {
      ...original,
      id: deliveryIdNumber(1 + number),
      replayOf: id,
      status: 'delivered',
    } as const;
    const test = buildDelivery({ ...owner, body: handshakeBody, status: 'failed' }, 3 + number);
    for (const each of [original, replay, test]) records.putDelivery(each, null);
    records.put(eventReplayKey(replay, event));
  }
}

/** Two rows in each list, so that a first page of one has a second one. */
beforeAll(async () => {
  for (const of of [customerId, 'cus_other']) {
    const videos = ['v1', 'v2'].map((id) => buildVideo({ id }));
    for (const { id } of endpoints)
      for (const age of [1, 2])
        records.putBulkReplay(buildBulkReplay({ customerId: of, webhookId: id }, startOfTest - age));
    for (const number of [1, 2]) {
      const runId = `run_${number}`;
      const trackerId = `trk_${number}`;
      await storeSettledRunWithFanOut(table, of, buildSettledRun({ id: runId }), fanOut);
      await storeRunItems(table, of, runId, videos);
      for (const report of [buildReport({ id: `${trackerId}a` }), buildReport({ id: `${trackerId}b` })])
        await storeChangeReport(table, of, { trackerId, report, run }, fanOut);
    }
    for (const id of [webhookId, otherWebhookId]) {
      records.addEndpoint(buildEndpoint({ id, customerId: of }));
      putDeliveries({ customerId: of, webhookId: id });
      const done = {
        customerId: of,
        webhookId: id,
        action: 'deleted',
        credentialId: null,
        subjectId: null,
      } as const;
      for (const activity of ['act_1', 'act_2']) await storeActivity(table, { ...done, id: activity });
    }
    for (const platform of ['tiktok', 'youtube'])
      for (const handle of ['one', 'two']) await storeCreatorVideos(table, of, { platform, handle }, videos);
  }
});

it.each(lists)('a cursor of $name is taken there alone', async (own) => {
  const { nextCursor } = await own.list({ limit: 1 });
  const cursor = nextCursor ?? '';

  const asked = await Promise.allSettled(lists.map(({ list }) => list({ limit: 2, cursor })));

  const taken = lists.filter((_, index) => asked[index]?.status === 'fulfilled');
  expect(taken).toEqual([own]);
  const refusals = asked.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
  const refusal = { code: 'invalid_request', members: { errors: [{ pointer: '?cursor' }] } };
  expect(refusals).toMatchObject(refusals.map(() => refusal));
});
