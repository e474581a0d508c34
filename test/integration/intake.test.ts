import { beforeEach, describe, expect, it } from 'vitest';
import { storeCustomer } from '#shared/aws/table/customers.ts';
import { toEndpointItem } from '#shared/aws/table/endpoint-item.ts';
import {
  creatorKey,
  deliveriesPartition,
  type ItemKey,
  liveEndpointKey,
  runItemKey,
  runKey,
  trackerKey,
} from '#shared/aws/table/keys.ts';
import type { TableClient } from '#shared/aws/table-client.ts';
import { type IntakeMessage, intakeMessage } from '#shared/contract/messages/intake-message.ts';
import { videoItem } from '#shared/contract/records/given-results.ts';
import { tableSchema } from '#shared/contract/table-schema.ts';
import { noTimings, type PostResult } from '#shared/domain/attempt.ts';
import { digest } from '#shared/domain/derived-id.ts';
import { makeId } from '#shared/domain/ids.ts';
import { useTable } from '../support/aws/table.ts';
import videoJson from '../support/aws/table-video.json' with { type: 'json' };
import type { SentRequest } from '../support/http/sent-request.ts';
import { tableDelivering } from '../support/operations/table-delivering.ts';
import { tableIntake } from '../support/operations/table-intake.ts';
import { buildEndpoint, customerId, startOfTest } from '../support/values/builders.ts';

const { current } = useTable();
beforeEach(() => storeCustomer(current())({ id: customerId, name: 'Customer', createdAt: startOfTest }));

const runId = 'run_integration';
const trackerId = 'trk_integration';
const createdAt = '2026-11-20T11:59:00.000Z';
const settled = {
  id: runId,
  kind: 'creator_videos',
  status: 'completed',
  charge_usd: 0.25,
  created_at: createdAt,
  settled_at: '2026-11-20T12:00:00.000Z',
};
const message = (given: Record<string, unknown>): IntakeMessage =>
  intakeMessage.parse({ customer_id: customerId, ...given });
const settledMessage = message({ type: 'run.settled', run: settled });
const reportMessage = message({
  type: 'change_report.written',
  tracker_id: trackerId,
  change_report: { id: 'chg_integration', run_id: runId, created_at: createdAt, added: ['a'] },
  run: settled,
});

/** Accepts messages as one worker does whose clock shows `now`; gives what it queued. */
async function accept(messages: readonly IntakeMessage[], now = startOfTest) {
  const failures: unknown[] = [];
  const intake = tableIntake(
    current(),
    () => now,
    (event) => {
      if (event.name !== 'intake.done') failures.push(event);
    },
  );
  const results = await intake.accept(messages);
  expect(failures).toEqual([]);
  expect(results).toEqual(messages.map(() => 'done'));
  return intake.queued;
}

/** A worker that dies once it has written so often: all that it writes afterwards fails. */
async function acceptUntil(given: IntakeMessage, writes: number): Promise<void> {
  const table = current();
  let left = writes;
  const write = async <T>(run: () => Promise<T>): Promise<T> => {
    if (left === 0) throw new Error('The worker is dead');
    left -= 1;
    return await run();
  };
  const client: TableClient = {
    ...table.client,
    put: (input) => write(() => table.client.put(input)),
    update: (input) => write(() => table.client.update(input)),
  };
  const intake = tableIntake(
    { ...table, client },
    () => startOfTest,
    () => {},
  );
  const results = await intake.accept([given]);
  expect(results).toEqual(['retry']);
  expect(left).toBe(0);
}

async function register(number: number, status: 'active' | 'failed' = 'active') {
  const endpoint = buildEndpoint({ id: makeId('webhook', startOfTest, digest(String(number))), status });
  const Item = { ...liveEndpointKey(customerId, endpoint.id), ...toEndpointItem(endpoint) };
  await current().client.put({ TableName: current().name, Item });
  return endpoint;
}

async function query(pk: string, prefix = ''): Promise<readonly Record<string, unknown>[]> {
  const { Items = [] } = await current().client.query({
    TableName: current().name,
    KeyConditionExpression: prefix === '' ? 'pk = :pk' : 'pk = :pk AND begins_with(sk, :prefix)',
    ExpressionAttributeValues: { ':pk': pk, ...(prefix === '' ? {} : { ':prefix': prefix }) },
  });
  return Items;
}

async function get(Key: ItemKey): Promise<Record<string, unknown>> {
  const { Item = {} } = await current().client.get({ TableName: current().name, Key });
  return Item;
}

const deliveriesOf = (webhookId: string) => query(deliveriesPartition(customerId, webhookId, 0));

describe('a settled Run', () => {
  it('a settled Run makes one event and one delivery per active endpoint, even when it arrives 20 times at once', async () => {
    const endpoints = [await register(1), await register(2)];
    const failed = await register(3, 'failed');

    const queued = await Promise.all(
      Array.from({ length: 20 }, (_, worker) => accept([settledMessage], startOfTest + worker)),
    );

    const { fan_out } = await get(runKey(customerId, runId));
    const stored = await Promise.all(endpoints.map(({ id }) => deliveriesOf(id)));
    expect(stored.map((deliveries) => deliveries.length)).toEqual([1, 1]);
    expect(await deliveriesOf(failed.id)).toEqual([]);
    const [first, second] = stored.flat();
    expect(first?.body).toBe(second?.body);
    expect(JSON.parse(String(first?.body))).toMatchObject({
      id: Object(fan_out).eventId,
      type: 'run.completed',
      run_id: runId,
    });
    const ids = new Set(queued.flat().map(({ key }) => key.id));
    expect(ids).toEqual(new Set(stored.flat().map(({ sk }) => sk)));
  });

  it('a settled Run is posted once to each endpoint, even when it arrives 50 times at once and every message is processed', async () => {
    const endpoints = [await register(1), await register(2), await register(3)];
    const posted: string[] = [];
    const receive = async ({ headers, body }: SentRequest): Promise<PostResult> => {
      posted.push(`${headers['X-Service-Event-Id']} ${new TextDecoder().decode(body)}`);
      return { outcome: 'acknowledged', responseStatus: 200, error: null, durationMs: 1, timings: noTimings };
    };
    const worker = tableDelivering(current(), receive, startOfTest + 1000);

    const queued = await Promise.all(Array.from({ length: 50 }, () => accept([settledMessage])));
    await Promise.all(queued.map((messages) => worker.deliver(messages)));

    expect(queued.flat().length).toBeGreaterThanOrEqual(endpoints.length);
    expect(posted).toHaveLength(endpoints.length);
    expect(new Set(posted).size).toBe(1);
    const stored = await Promise.all(endpoints.map(({ id }) => deliveriesOf(id)));
    expect(stored.map((deliveries) => deliveries.map(({ status, attempts }) => [status, attempts]))).toEqual(
      endpoints.map(() => [['delivered', 1]]),
    );
  });

  it('a repeated Run reaches only the endpoints that were active the first time', async () => {
    const early = await register(1);
    await accept([settledMessage]);
    const late = await register(2);

    await accept([settledMessage], startOfTest + 60_000);

    expect(await deliveriesOf(early.id)).toHaveLength(1);
    expect(await deliveriesOf(late.id)).toEqual([]);
  });

  it('a settled Run never returns to an earlier state, and is listed by its creation time', async () => {
    const open = { id: runId, kind: 'creator_videos', created_at: createdAt };
    await accept([message({ type: 'run.saved', run: { ...open, status: 'queued' } })]);
    await accept([message({ type: 'run.saved', run: { ...open, status: 'running' } })]);
    await accept([message({ type: 'run.saved', run: { ...open, status: 'queued' } })]);
    const working = await get(runKey(customerId, runId));

    await accept([settledMessage]);
    await accept([message({ type: 'run.saved', run: { ...open, status: 'running' } })]);

    expect(JSON.parse(String(working.open))).toMatchObject({ status: 'running' });
    const stored = await get(runKey(customerId, runId));
    expect(stored.open).toBeUndefined();
    expect(JSON.parse(String(stored.settled))).toMatchObject({ status: 'completed' });
    const { listed } = tableSchema.indexes;
    const { Items } = await current().client.query({
      TableName: current().name,
      IndexName: listed.name,
      KeyConditionExpression: `${listed.partitionKey} = :pk`,
      ExpressionAttributeValues: { ':pk': `RUNS#${customerId}#0` },
    });
    expect(Items).toEqual([
      {
        ...runKey(customerId, runId),
        [listed.partitionKey]: `RUNS#${customerId}#0`,
        [listed.sortKey]: `${createdAt}#${runId}`,
      },
    ]);
  });
});

describe('a Change Report', () => {
  it("a Change Report makes its own event beside its Run's, in either order, however often both arrive", async () => {
    const { id } = await register(1);

    await Promise.all(Array.from({ length: 10 }, () => accept([reportMessage, settledMessage])));

    const bodies = (await deliveriesOf(id)).map(({ body }) => JSON.parse(String(body)));
    expect(bodies).toHaveLength(2);
    expect(new Set(bodies.map(({ type }) => type))).toEqual(new Set(['run.completed', 'tracker.changed']));
    expect(bodies.find(({ type }) => type === 'tracker.changed')).toMatchObject({
      run_id: runId,
      tracker_id: trackerId,
      change_report_id: 'chg_integration',
    });
    const [report] = await query(trackerKey(customerId, trackerId).pk, 'REPORT#');
    expect(JSON.parse(String(report?.report))).toMatchObject({ id: 'chg_integration', added: ['a'] });
  });
});

describe('a Change Report that is repeated with other content', () => {
  const report = { id: 'chg_integration', run_id: runId, created_at: createdAt, added: ['a'] };
  const told = (given: { readonly tracker?: string; readonly report?: object; readonly run?: object }) =>
    message({
      type: 'change_report.written',
      tracker_id: given.tracker ?? trackerId,
      change_report: { ...report, ...given.report },
      run: { ...settled, ...given.run },
    });
  const inOtherWords = [
    told({}),
    told({ report: { created_at: '2026-11-20T11:59:00.001Z', added: ['b'] } }),
    told({ tracker: 'trk_other' }),
    told({ report: { run_id: 'run_other' }, run: { id: 'run_other', charge_usd: 9 } }),
  ];
  const rowsOfReports = async () => [
    ...(await query(trackerKey(customerId, trackerId).pk, 'REPORT#')),
    ...(await query(trackerKey(customerId, 'trk_other').pk, 'REPORT#')),
  ];

  it('a repeated Change Report is one event and one row, even when later messages differ', async () => {
    const endpoints = [await register(1), await register(2)];

    for (const [worker, again] of inOtherWords.entries()) await accept([again], startOfTest + worker);

    const stored = await Promise.all(endpoints.map(({ id }) => deliveriesOf(id)));
    expect(stored.map((deliveries) => deliveries.length)).toEqual([1, 1]);
    expect(JSON.parse(String(stored[0]?.[0]?.body))).toMatchObject({ run_id: runId, tracker_id: trackerId });
    expect(await rowsOfReports()).toHaveLength(1);
  });

  it('a repeated Change Report is one event and one row when all messages arrive at once', async () => {
    const { id } = await register(1);

    await Promise.all(inOtherWords.map((again, worker) => accept([again], startOfTest + worker)));

    const [delivery, ...others] = await deliveriesOf(id);
    expect(others).toEqual([]);
    const [row, ...otherRows] = await rowsOfReports();
    expect(otherRows).toEqual([]);
    const { tracker_id, run_id } = JSON.parse(String(delivery?.body));
    expect(row?.pk).toBe(trackerKey(customerId, tracker_id).pk);
    expect(JSON.parse(String(row?.report))).toMatchObject({ run_id });
  });

  it.each([
    [1, '2026-11-20T11:59:00.001Z'],
    [2, createdAt],
    [3, createdAt],
  ])(
    'a Change Report keeps its Run and Tracker when the first worker died after write %i',
    async (writes, place) => {
      const { id } = await register(1);
      await acceptUntil(told({}), writes);

      for (const [worker, again] of [...inOtherWords.slice(1), told({})].entries())
        await accept([again], startOfTest + 9 + worker);

      const [delivery, ...others] = await deliveriesOf(id);
      expect(others).toEqual([]);
      const [row, ...otherRows] = await rowsOfReports();
      expect(otherRows).toEqual([]);
      const body = JSON.parse(String(delivery?.body));
      expect(row?.pk).toBe(trackerKey(customerId, body.tracker_id).pk);
      expect(JSON.parse(String(row?.report))).toMatchObject({ run_id: body.run_id });
      expect(row?.sk).toBe(`REPORT#${place}#chg_integration`);
    },
  );
});

describe('stored results', () => {
  it('keep a Tracker as it was given last', async () => {
    const tracker = { id: trackerId, kind: 'creator', status: 'active', created_at: createdAt };
    await accept([message({ type: 'tracker.saved', tracker })]);
    await accept([
      message({ type: 'tracker.saved', tracker: { ...tracker, status: 'paused', depth: { a: [1] } } }),
    ]);

    const stored = await get(trackerKey(customerId, trackerId));

    expect(JSON.parse(String(stored.tracker))).toEqual({ ...tracker, status: 'paused', depth: { a: [1] } });
  });

  it('keep one row for each video of a Run, also of more than a batch and with repeats', async () => {
    const videos = Array.from({ length: 60 }, (_, number) => ({
      ...videoItem.parse(videoJson),
      id: `v${number}`,
    }));
    const items = [...videos, ...videos.slice(0, 5)];

    await accept([message({ type: 'run.items_saved', run_id: runId, items })]);
    await accept([message({ type: 'run.items_saved', run_id: runId, items: videos.slice(0, 3) })]);

    expect(await query(runItemKey(customerId, runId, '').pk, 'ITEM#')).toHaveLength(60);
  });

  it('know a creator of whom an empty list was stored', async () => {
    const creator = { platform: 'tiktok', handle: 'Example.Creator' };

    await accept([message({ type: 'creator_videos.saved', ...creator, videos: [] })]);

    expect(
      await get(creatorKey(customerId, { platform: 'tiktok', handle: 'example.creator' })),
    ).toMatchObject(creator);
  });
});
