import { PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  settleInput,
  storeOpenRun,
  storeSettledRun,
  storeSettledRunWithFanOut,
} from '#shared/aws/table/runs.ts';
import { storeChangeReport, storeTracker } from '#shared/aws/table/trackers.ts';
import {
  commandsOf,
  conditionFailed,
  mockTable,
  tableName,
  unexpected,
} from '../../support/aws/aws-mocks.ts';
import { customerId, startOfTest } from '../../support/values/builders.ts';

let { table, mock } = mockTable();
beforeEach(() => {
  ({ table, mock } = mockTable());
});

const created_at = '2026-11-20T11:59:00.000Z';
const head = { id: 'run_1', kind: 'creator_videos', tracker_id: null, created_at };
const settled = {
  ...head,
  status: 'completed' as const,
  charge_usd: 0.25,
  settled_at: '2026-11-20T12:00:00.000Z',
  error: null,
  problems: null,
};
const fanOut = {
  eventId: 'evt_1',
  acceptedAt: startOfTest,
  deliveries: [{ webhookId: 'whe_1', deliveryId: 'whd_1' }],
};
const Key = { pk: `RUN#${customerId}#run_1`, sk: 'RUN' };
const listed =
  'listed_pk = if_not_exists(listed_pk, :listed_pk), listed_sk = if_not_exists(listed_sk, :listed_sk)';
const listedValues = { ':listed_pk': `RUNS#${customerId}#0`, ':listed_sk': `${created_at}#run_1` };

describe('storeOpenRun()', () => {
  it.each([
    { status: 'queued', condition: 'attribute_not_exists(settled) AND attribute_not_exists(#open)' },
    { status: 'running', condition: 'attribute_not_exists(settled)' },
  ] as const)('stores a $status Run unless it has gone further', async ({ status, condition }) => {
    mock.on(UpdateCommand).resolves({});
    const run = { ...head, status, charge_usd: null };

    await storeOpenRun(table)(customerId, run);

    expect(commandsOf(mock)).toEqual([
      {
        UpdateCommand: {
          TableName: tableName,
          Key,
          UpdateExpression: `SET #open = :run, ${listed}`,
          ConditionExpression: condition,
          ExpressionAttributeNames: { '#open': 'open' },
          ExpressionAttributeValues: { ':run': JSON.stringify(run), ...listedValues },
        },
      },
    ]);
  });

  it('changes nothing when the stored Run has a later status', async () => {
    mock.on(UpdateCommand).rejects(conditionFailed());

    const stored = storeOpenRun(table)(customerId, { ...head, status: 'queued', charge_usd: null });

    await expect(stored).resolves.toBeUndefined();
  });
});

describe('storeSettledRunWithFanOut()', () => {
  const input = {
    TableName: tableName,
    Key,
    UpdateExpression: `SET settled = if_not_exists(settled, :run), ${listed}, fan_out = :fan_out REMOVE #open`,
    ConditionExpression: 'attribute_not_exists(fan_out)',
    ExpressionAttributeNames: { '#open': 'open' },
    ExpressionAttributeValues: { ':run': JSON.stringify(settled), ...listedValues, ':fan_out': fanOut },
    ReturnValues: 'UPDATED_OLD',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  };

  it('settles the Run and stores its fan-out in one write', async () => {
    mock.on(UpdateCommand).resolves({});

    expect(await storeSettledRunWithFanOut(table)(customerId, settled, fanOut)).toEqual({
      run: settled,
      fanOut,
    });

    expect(commandsOf(mock)).toEqual([{ UpdateCommand: input }]);
    expect(settleInput(tableName, customerId, settled, fanOut)).toEqual(input);
  });

  it('returns the Run that an earlier message settled without a fan-out', async () => {
    const first = { ...settled, charge_usd: 9 };
    mock.on(UpdateCommand).resolves({ Attributes: { settled: JSON.stringify(first) } });

    expect(await storeSettledRunWithFanOut(table)(customerId, settled, fanOut)).toEqual({
      run: first,
      fanOut,
    });
  });

  it('returns the fan-out that was stored first', async () => {
    const first = { ...settled, charge_usd: 9 };
    const before = { ...fanOut, eventId: 'evt_first' };
    mock.on(UpdateCommand).rejects(conditionFailed({ settled: JSON.stringify(first), fan_out: before }));

    expect(await storeSettledRunWithFanOut(table)(customerId, settled, fanOut)).toEqual({
      run: first,
      fanOut: before,
    });
  });

  it('throws every failure other than a repetition', async () => {
    await expect(storeSettledRunWithFanOut(table)(customerId, settled, fanOut)).rejects.toBe(unexpected);
  });
});

describe('storeSettledRun()', () => {
  it('settles the Run without an event', async () => {
    mock.on(UpdateCommand).resolves({});

    expect(await storeSettledRun(table)(customerId, settled)).toEqual(settled);

    expect(commandsOf(mock)).toEqual([
      {
        UpdateCommand: {
          TableName: tableName,
          Key,
          UpdateExpression: `SET settled = if_not_exists(settled, :run), ${listed} REMOVE #open`,
          ConditionExpression: 'attribute_not_exists(settled)',
          ExpressionAttributeNames: { '#open': 'open' },
          ExpressionAttributeValues: { ':run': JSON.stringify(settled), ...listedValues },
          ReturnValues: 'UPDATED_OLD',
          ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        },
      },
    ]);
  });

  it('returns the Run that was stored first', async () => {
    const first = { ...settled, charge_usd: 9 };
    mock.on(UpdateCommand).rejects(conditionFailed({ settled: JSON.stringify(first) }));

    expect(await storeSettledRun(table)(customerId, settled)).toEqual(first);
  });
});

describe('storeTracker(), storeChangeReport()', () => {
  const report = { id: 'chg_1', run_id: 'run_1', created_at, added: ['v1'] };
  const run = { id: 'run_1', kind: 'tracker_cycle', status: 'completed', chargeUsd: 1, trackerId: 'trk_1' };
  const told = { trackerId: 'trk_1', report, run };
  const first = { trackerId: 'trk_1', run, fanOut };
  const once = {
    TableName: tableName,
    ConditionExpression: 'attribute_not_exists(pk)',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  };
  const place = { pk: `CHG#${customerId}#chg_1`, sk: 'PLACE', tracker_id: 'trk_1', created_at };
  const item = {
    pk: `TRK#${customerId}#trk_1`,
    sk: `REPORT#${created_at}#chg_1`,
    report: JSON.stringify(report),
    run: JSON.stringify(run),
    fan_out: fanOut,
  };

  it('storeTracker() keeps the Tracker of the last message', async () => {
    mock.on(PutCommand).resolves({});
    const tracker = { id: 'trk_1', kind: 'creator', status: 'active', created_at };

    await storeTracker(table)(customerId, tracker);

    const Item = { pk: `TRK#${customerId}#trk_1`, sk: 'TRACKER', tracker: JSON.stringify(tracker) };
    expect(commandsOf(mock)).toEqual([{ PutCommand: { TableName: tableName, Item } }]);
  });

  it('storeChangeReport() stores the place of a report, then the report at that place with its fan-out', async () => {
    mock.on(PutCommand).resolves({});

    expect(await storeChangeReport(table)(customerId, told, fanOut)).toEqual(first);

    expect(commandsOf(mock)).toEqual([
      { PutCommand: { ...once, Item: place } },
      { PutCommand: { ...once, Item: item } },
    ]);
  });

  it('storeChangeReport() returns the fan-out that was stored first', async () => {
    const before = { ...fanOut, eventId: 'evt_first' };
    mock.on(PutCommand, { Item: place }).rejects(conditionFailed(place));
    mock.on(PutCommand, { Item: item }).rejects(conditionFailed({ ...item, fan_out: before }));

    expect(await storeChangeReport(table)(customerId, told, fanOut)).toEqual({ ...first, fanOut: before });
  });

  it('storeChangeReport() stores a report at the place that an earlier, interrupted message chose', async () => {
    const taken = { ...place, tracker_id: 'trk_first', created_at: '2026-01-01T00:00:00.000Z' };
    mock.on(PutCommand).resolves({});
    mock.on(PutCommand, { Item: place }).rejects(conditionFailed(taken));

    expect(await storeChangeReport(table)(customerId, told, fanOut)).toEqual({
      ...first,
      trackerId: 'trk_first',
    });

    const sk = 'REPORT#2026-01-01T00:00:00.000Z#chg_1';
    expect(commandsOf(mock).at(-1)).toEqual({
      PutCommand: { ...once, Item: { ...item, pk: `TRK#${customerId}#trk_first`, sk } },
    });
  });

  it('storeChangeReport() returns the stored fan-out of a report that an earlier release stored without a place', async () => {
    const { run: _, ...earlier } = { ...item, fan_out: { ...fanOut, eventId: 'evt_first' } };
    mock.on(PutCommand).resolves({});
    mock.on(PutCommand, { Item: item }).rejects(conditionFailed(earlier));

    expect(await storeChangeReport(table)(customerId, told, fanOut)).toEqual({
      ...first,
      fanOut: earlier.fan_out,
    });
  });
});
