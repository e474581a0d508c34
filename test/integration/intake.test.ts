import { beforeEach, describe, expect, it } from 'vitest';
import { storeCustomer } from '#shared/aws/table/credentials/customers.ts';
import { deliveriesPartition, trackerKey } from '#shared/aws/table/keys.ts';
import { type IntakeMessage, intakeMessage } from '#shared/contract/messages/intake-message.ts';
import { digest } from '#shared/domain/derived-id.ts';
import { makeId } from '#shared/domain/ids.ts';
import { dyingTable } from '../support/aws/dying-table.ts';
import { useTable } from '../support/aws/table.ts';
import type { SentRequest } from '../support/http/sent-request.ts';
import { createClock, createReports } from '../support/operations/deps.ts';
import { tableDelivering } from '../support/operations/table-delivering.ts';
import { tableIntake } from '../support/operations/table-intake.ts';
import { acknowledged, buildEndpoint, customerId, startOfTest } from '../support/values/builders.ts';

const { current } = useTable();
beforeEach(() => storeCustomer(current(), { id: customerId, name: 'Customer', createdAt: startOfTest }));

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

/** Accepts messages as one worker does whose clock shows `now`; gives what it queued. */
async function accept(messages: readonly IntakeMessage[], now = startOfTest) {
  const { report, events } = createReports();
  const intake = tableIntake(current(), createClock(now).now, report);
  expect(await intake.accept(messages)).toEqual(messages.map(() => 'done'));
  expect(events.filter(({ name }) => name !== 'intake.done')).toEqual([]);
  return intake.queued;
}

/** The worker dies once it has written so often. */
async function acceptUntil(given: IntakeMessage, writes: number): Promise<void> {
  const { accept } = tableIntake(dyingTable(current(), writes), createClock(startOfTest).now, () => {});
  expect(await accept([given])).toEqual(['retry']);
}

async function register(number: number, status: 'active' | 'failed' = 'active') {
  const endpoint = buildEndpoint({ id: makeId('webhook', startOfTest, digest(String(number))), status });
  await current().putEndpoints(endpoint);
  return endpoint;
}

async function query(pk: string, prefix: string): Promise<readonly Record<string, unknown>[]> {
  const { Items = [] } = await current().client.query({
    TableName: current().name,
    KeyConditionExpression: 'pk = :pk AND begins_with(sk, :prefix)',
    ExpressionAttributeValues: { ':pk': pk, ':prefix': prefix },
  });
  return Items;
}

const deliveriesOf = (webhookId: string) => query(deliveriesPartition(customerId, webhookId, 0), 'whd_');

it('a settled Run is posted once to each endpoint, even when it arrives 50 times at once and every message is processed', async () => {
  const endpoints = [await register(1), await register(2), await register(3)];
  const failed = await register(4, 'failed');
  const posted: string[] = [];
  const receive = async ({ headers, body }: SentRequest) => {
    posted.push(`${headers['X-Service-Event-Id']} ${new TextDecoder().decode(body)}`);
    return acknowledged;
  };
  const worker = tableDelivering(current(), receive, startOfTest + 1000);

  const queued = await Promise.all(
    Array.from({ length: 50 }, (_, worker) => accept([settledMessage], startOfTest + worker)),
  );
  await Promise.all(queued.map((messages) => worker.deliver(messages)));

  expect(queued.flat().length).toBeGreaterThanOrEqual(endpoints.length);
  expect(posted).toHaveLength(endpoints.length);
  expect(new Set(posted).size).toBe(1);
  const stored = await Promise.all(endpoints.map(({ id }) => deliveriesOf(id)));
  expect(stored.map((deliveries) => deliveries.map(({ status, attempts }) => [status, attempts]))).toEqual(
    endpoints.map(() => [['delivered', 1]]),
  );
  expect(await deliveriesOf(failed.id)).toEqual([]);
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

  it.each([
    [1, '2026-11-20T11:59:00.001Z'],
    [2, createdAt],
    [3, createdAt],
  ])('a Change Report keeps its Run and Tracker when the first worker died after write %i', async (writes, place) => {
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
  });
});
