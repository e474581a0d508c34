import { BatchGetCommand, GetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  apiEvent,
  mockHandlerTable,
  operationCommands,
  setEnvironment,
} from '../../support/aws/aws-functions.ts';
import { tableName } from '../../support/aws/aws-mocks.ts';
import { lambdaContext } from '../../support/aws/lambda-events.ts';
import { customerId } from '../../support/values/builders.ts';
import {
  buildReport,
  buildSettledRun,
  buildTracker,
  buildVideo,
  isoTime,
} from '../../support/values/stored-results.ts';

beforeAll(() => setEnvironment({ SUPPORTED_PLATFORMS: 'tiktok,youtube' }));

let table = mockHandlerTable();
beforeEach(() => {
  table.restore();
  table = mockHandlerTable();
  table.on(GetCommand, { Key: { pk: 'CURSOR_SECRET', sk: 'CURSOR_SECRET' } }).resolves({
    Item: { secret: Buffer.alloc(32, 1).toString('base64') },
  });
});

const runKey = { pk: `RUN#${customerId}#run_1`, sk: 'RUN' };
const runItem = {
  ...runKey,
  listed_pk: `RUNS#${customerId}#0`,
  listed_sk: `${isoTime()}#run_1`,
  settled: JSON.stringify(buildSettledRun()),
};
const links = {
  run: 'https://api.example.com/v1/runs/run_1',
  items: 'https://api.example.com/v1/runs/run_1/items',
};
const trackerKey = { pk: `TRK#${customerId}#trk_1`, sk: 'TRACKER' };
const problemOf = (code: string) => ({ code, type: `https://docs.example.com/errors/${code}` });
const queries = () => operationCommands(table).flatMap(({ QueryCommand: query }) => query ?? []);

describe('get-run', () => {
  const get = async (id: string) => {
    const { handler } = await import('../../../functions/api/get-run/handler.ts');
    const { statusCode, body } = await handler(
      apiEvent('GET', '/v1/runs/{id}', { path: { id } }),
      lambdaContext,
    );
    return { statusCode, body: JSON.parse(body) };
  };

  it('answers the bare record', async () => {
    table.on(GetCommand, { Key: runKey }).resolves({ Item: runItem });

    expect(await get('run_1')).toEqual({ statusCode: 200, body: { ...buildSettledRun(), links } });
    expect(operationCommands(table)).toEqual([
      { GetCommand: { TableName: tableName, Key: runKey, ConsistentRead: true } },
    ]);
  });

  it('shows a Run as created when the first message about it said', async () => {
    const settled = JSON.stringify(buildSettledRun({ created_at: isoTime(60_000) }));
    table.on(GetCommand, { Key: runKey }).resolves({ Item: { ...runItem, settled } });

    expect(await get('run_1')).toMatchObject({ body: { created_at: isoTime() } });
  });

  it('answers internal_error for a Run that this release cannot read, without its content', async () => {
    table.on(GetCommand, { Key: runKey }).resolves({ Item: { ...runItem, settled: '{"swordfish' } });

    const answer = await get('run_1');

    expect(answer).toMatchObject({ statusCode: 500, body: problemOf('internal_error') });
    expect(JSON.stringify(answer)).not.toMatch(/swordfish|RUN#/);
  });

  it('answers 404 for a Run that the customer does not have', async () => {
    table.on(GetCommand, { Key: runKey }).resolves({});

    expect(await get('run_1')).toMatchObject({ statusCode: 404, body: problemOf('not_found') });
  });

  it('finds nothing under an id that no Run engine makes, unread', async () => {
    expect(await get('run_a b')).toMatchObject({ statusCode: 404, body: problemOf('not_found') });
    expect(operationCommands(table)).toEqual([]);
  });
});

describe('list-runs', () => {
  it('answers a page of records', async () => {
    const { handler } = await import('../../../functions/api/list-runs/handler.ts');
    table.on(QueryCommand).resolves({ Items: [runItem] });
    table.on(BatchGetCommand).resolves({ Responses: { [tableName]: [runItem] } });

    const answer = await handler(apiEvent('GET', '/v1/runs', { query: { limit: '5' } }), lambdaContext);

    expect(answer.statusCode).toBe(200);
    expect(JSON.parse(answer.body)).toEqual({ items: [{ ...buildSettledRun(), links }], next_cursor: null });
    expect(queries()).toMatchObject([{ IndexName: 'listed', Limit: 6 }]);
  });
});

describe('list-runs with a Run that this release cannot read', () => {
  it('answers the others, and a cursor behind it', async () => {
    const { handler } = await import('../../../functions/api/list-runs/handler.ts');
    const bad = {
      ...runItem,
      pk: `RUN#${customerId}#run_2`,
      listed_sk: `${isoTime()}#run_2`,
      settled: 'swordfish',
    };
    table.on(QueryCommand).resolves({ Items: [bad, runItem] });
    table.on(BatchGetCommand).resolves({ Responses: { [tableName]: [bad] } });

    const first = await handler(apiEvent('GET', '/v1/runs', { query: { limit: '1' } }), lambdaContext);

    expect(first.statusCode).toBe(200);
    const { items, next_cursor } = JSON.parse(first.body);
    expect(items).toEqual([]);
    table.on(QueryCommand).resolves({ Items: [runItem] });
    table.on(BatchGetCommand).resolves({ Responses: { [tableName]: [runItem] } });
    const query = { limit: '1', cursor: next_cursor };
    const second = await handler(apiEvent('GET', '/v1/runs', { query }), lambdaContext);
    expect(JSON.parse(second.body)).toMatchObject({ items: [{ id: 'run_1' }], next_cursor: null });
    expect(queries().at(-1)).toMatchObject({ ExpressionAttributeValues: { ':after': bad.listed_sk } });
  });
});

describe('list-run-items', () => {
  const list = async (query: Readonly<Record<string, string>> = {}) => {
    const { handler } = await import('../../../functions/api/list-run-items/handler.ts');
    const event = apiEvent('GET', '/v1/runs/{id}/items', { path: { id: 'run_1' }, query });
    const { statusCode, body } = await handler(event, lambdaContext);
    return { statusCode, body: JSON.parse(body) };
  };

  it('answers a page of videos and its cursor', async () => {
    const rows = [2, 1].map((number) => ({
      pk: runKey.pk,
      sk: `ITEM#${number}`,
      video: JSON.stringify(buildVideo({ id: `v${number}` })),
    }));
    table.on(GetCommand, { Key: runKey }).resolves({ Item: runItem });
    table.on(QueryCommand).resolves({ Items: rows });

    const { statusCode, body } = await list({ limit: '1', type: 'videos' });

    expect(statusCode).toBe(200);
    expect(body).toEqual({ items: [buildVideo({ id: 'v2' })], next_cursor: expect.any(String) });
    table.on(QueryCommand).resolves({ Items: rows.slice(1) });
    expect(await list({ limit: '1', cursor: body.next_cursor })).toEqual({
      statusCode: 200,
      body: { items: [buildVideo({ id: 'v1' })], next_cursor: null },
    });
    expect(queries().at(-1)).toMatchObject({
      ExpressionAttributeValues: { ':pk': runKey.pk, ':before': 'ITEM#2' },
    });
  });

  it('refuses another type', async () => {
    expect(await list({ type: 'sounds' })).toMatchObject({
      statusCode: 400,
      body: { ...problemOf('invalid_request'), errors: [{ pointer: '?type' }] },
    });
  });

  it('answers run_not_ready for a failed Run', async () => {
    const settled = JSON.stringify(buildSettledRun({ status: 'failed' }));
    table.on(GetCommand, { Key: runKey }).resolves({ Item: { ...runItem, settled } });

    expect(await list()).toMatchObject({ statusCode: 409, body: problemOf('run_not_ready') });
  });
});

describe('get-tracker', () => {
  it('answers the bare record', async () => {
    const { handler } = await import('../../../functions/api/get-tracker/handler.ts');
    const tracker = buildTracker({ subject: { handle: 'maker' } });
    table
      .on(GetCommand, { Key: trackerKey })
      .resolves({ Item: { ...trackerKey, tracker: JSON.stringify(tracker) } });

    const answer = await handler(
      apiEvent('GET', '/v1/trackers/{id}', { path: { id: 'trk_1' } }),
      lambdaContext,
    );

    expect(answer.statusCode).toBe(200);
    expect(JSON.parse(answer.body)).toMatchObject(tracker);
    expect(operationCommands(table)).toEqual([
      { GetCommand: { TableName: tableName, Key: trackerKey, ConsistentRead: true } },
    ]);
  });
});

describe('get-tracker about a Tracker that the customer does not have', () => {
  it('answers 404', async () => {
    const { handler } = await import('../../../functions/api/get-tracker/handler.ts');
    table.on(GetCommand, { Key: trackerKey }).resolves({});

    const answer = await handler(
      apiEvent('GET', '/v1/trackers/{id}', { path: { id: 'trk_1' } }),
      lambdaContext,
    );

    expect(answer.statusCode).toBe(404);
    expect(JSON.parse(answer.body)).toMatchObject(problemOf('not_found'));
  });
});

describe('list-change-reports', () => {
  const list = async () => {
    const { handler } = await import('../../../functions/api/list-change-reports/handler.ts');
    const { statusCode, body } = await handler(
      apiEvent('GET', '/v1/trackers/{id}/changes', { path: { id: 'trk_1' } }),
      lambdaContext,
    );
    return { statusCode, body: JSON.parse(body) };
  };

  it('answers a page of reports', async () => {
    const sk = `REPORT#${isoTime()}#chg_1`;
    const report = JSON.stringify(buildReport());
    table.on(QueryCommand).resolves({ Items: [{ pk: trackerKey.pk, sk, report }] });

    expect(await list()).toMatchObject({
      statusCode: 200,
      body: { items: [{ ...buildReport(), tracker_id: 'trk_1' }], next_cursor: null },
    });
    expect(queries()).toMatchObject([
      { ExpressionAttributeValues: { ':pk': trackerKey.pk, ':before': 'REPORT#\u{10FFFF}' } },
    ]);
  });

  it('looks for the Tracker when there is none', async () => {
    table.on(QueryCommand).resolves({ Items: [] });
    table.on(GetCommand, { Key: trackerKey }).resolves({});

    expect(await list()).toMatchObject({ statusCode: 404, body: problemOf('not_found') });
  });
});

describe('list-creator-videos', () => {
  const list = async (platform: string, handle: string) => {
    const { handler } = await import('../../../functions/api/list-creator-videos/handler.ts');
    const path = { platform, handle };
    const { statusCode, body } = await handler(
      apiEvent('GET', '/v1/creators/{platform}/{handle}/videos', { path }),
      lambdaContext,
    );
    return { statusCode, body: JSON.parse(body) };
  };
  const pk = `CRE#${customerId}#tiktok#some.one`;

  it('answers a page of videos', async () => {
    const row = { pk, sk: 'VIDEO#v1#tiktok', listed_pk: pk, listed_sk: `${isoTime()}#v1#tiktok` };
    table.on(QueryCommand).resolves({ Items: [row] });
    const stored = { ...row, video: JSON.stringify(buildVideo()) };
    table.on(BatchGetCommand).resolves({ Responses: { [tableName]: [stored] } });

    expect(await list('tiktok', '%40Some.One')).toEqual({
      statusCode: 200,
      body: { items: [buildVideo()], next_cursor: null },
    });
    expect(queries()).toMatchObject([{ IndexName: 'listed', ExpressionAttributeValues: { ':list': pk } }]);
  });

  it('finds no creator of whom nothing was stored', async () => {
    table.on(QueryCommand).resolves({ Items: [] });

    expect(await list('tiktok', 'some.one')).toMatchObject({ statusCode: 404, body: problemOf('not_found') });
  });

  it('refuses a platform that this deployment does not serve, unread', async () => {
    expect(await list('instagram', 'some.one')).toMatchObject({
      statusCode: 400,
      body: problemOf('unsupported_platform'),
    });
    expect(operationCommands(table)).toEqual([]);
  });
});
