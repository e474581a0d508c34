import { describe, expect, it } from 'vitest';
import { claimAttempt, recordAttempt } from '#shared/aws/table/attempts.ts';
import { isCustomerKnown, storeCustomer } from '#shared/aws/table/customers.ts';
import { storeDelivery } from '#shared/aws/table/deliveries.ts';
import { deleteEndpoint, reserveEndpoint } from '#shared/aws/table/endpoint-slots.ts';
import { activateEndpoint, noteLastDelivery, replaceSecret } from '#shared/aws/table/endpoints.ts';
import { storeSettledRunWithFanOut } from '#shared/aws/table/runs.ts';
import { storeChangeReport } from '#shared/aws/table/trackers.ts';
import { deferDue } from '#shared/aws/table/waiting.ts';
import { settledRun } from '#shared/contract/records/given-results.ts';
import { digest } from '#shared/domain/derived-id.ts';
import { makeId } from '#shared/domain/ids.ts';
import { useTable } from '../support/aws/table.ts';
import {
  acknowledgedAttempt,
  buildDelivery,
  buildEndpoint,
  customerId,
  startOfTest,
} from '../support/values/builders.ts';

const { current } = useTable();

const backoff = { wait: async () => {}, random: () => 0 };
const endpoint = buildEndpoint({
  id: makeId('webhook', startOfTest, digest('costs')),
  status: 'failed',
  activatedAt: null,
});
const claim = { fencingToken: 'ours', leaseUntil: startOfTest + 30_000 };
const handshake = buildDelivery({ webhookId: endpoint.id, attempts: 1, claim });

describe('the read units that docs/table.md names', () => {
  it('are half of one for a customer that the intake meets first, and none after that', async () => {
    await storeCustomer(current())({ id: customerId, name: 'Customer', createdAt: startOfTest });
    const isKnown = isCustomerKnown(current(), 10);
    current().takeReadUnits();

    await isKnown(customerId);
    const first = current().takeReadUnits();
    await isKnown(customerId);

    expect({ first, next: current().takeReadUnits() }).toEqual({ first: 0.5, next: 0 });
  });
});

describe('the write units that docs/table.md names', () => {
  it('hold for the life of an endpoint', async () => {
    const table = current();
    const units: Record<string, number> = {};
    const step = async (name: string, run: () => Promise<unknown>) => {
      await run();
      units[name] = table.takeWriteUnits();
    };

    await step('register', () => reserveEndpoint(table, backoff)(endpoint, handshake));
    await step('record', () =>
      recordAttempt(table)({
        key: handshake,
        attempt: 1,
        fencingToken: 'ours',
        entry: acknowledgedAttempt,
        transition: { status: 'delivered', endedAt: startOfTest },
      }),
    );
    await step('activate', () => activateEndpoint(table)(customerId, endpoint.id, startOfTest));
    await step('rotate', () =>
      replaceSecret(table)({
        customerId,
        webhookId: endpoint.id,
        secret: 'sealed-next',
        secretPrefix: 'whsec_BBBBBB',
        at: startOfTest,
        overlapEnd: startOfTest + 1,
      }),
    );
    await step('touch', () => noteLastDelivery(table)(endpoint, startOfTest + 5000));
    await step('delete', () => deleteEndpoint(table, backoff)(customerId, endpoint.id, startOfTest));

    expect(units).toEqual({ register: 7, record: 2, activate: 1, rotate: 1, touch: 1, delete: 8 });
  });

  it('hold for a Run that settles, a Change Report, a replay, and a wake-up that is postponed', async () => {
    const table = current();
    const run = settledRun.parse({
      id: 'run_costs',
      kind: 'creator_videos',
      status: 'completed',
      charge_usd: 0.25,
      created_at: '2026-11-20T11:59:00Z',
      settled_at: '2026-11-20T12:00:00Z',
    });
    const fanOut = { eventId: 'evt_1', acceptedAt: startOfTest, deliveries: [] };
    const replay = buildDelivery();

    await storeSettledRunWithFanOut(table)(customerId, run, fanOut);
    const settles = table.takeWriteUnits();
    const told = { trackerId: 'trk_1', report: { id: 'chg_1', run_id: run.id, created_at: run.created_at } };
    const eventRun = { id: run.id, kind: run.kind, status: run.status, chargeUsd: 1, trackerId: 'trk_1' };
    await storeChangeReport(table)(customerId, { ...told, run: eventRun }, fanOut);
    const reports = table.takeWriteUnits();
    await storeDelivery(table)(replay, startOfTest);
    const replays = table.takeWriteUnits();
    await deferDue(table)({ ...replay, dueAt: startOfTest }, startOfTest + 900_000);
    const postpones = table.takeWriteUnits();
    await claimAttempt(table)(replay, 1, { ...claim, latestDue: startOfTest });
    const claims = table.takeWriteUnits();

    expect({ settles, reports, replays, postpones, claims }).toEqual({
      settles: 2,
      reports: 2,
      replays: 2,
      postpones: 3,
      claims: 1,
    });
  });
});
