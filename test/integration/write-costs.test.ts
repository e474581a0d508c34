import { describe, expect, it } from 'vitest';
import { claimAttempt, recordAttempt } from '../../shared/aws/table/attempts.ts';
import { storeDelivery } from '../../shared/aws/table/deliveries.ts';
import { entombEndpoint, reserveEndpoint } from '../../shared/aws/table/endpoint-slots.ts';
import { activateEndpoint, replaceSecret, touchEndpoint } from '../../shared/aws/table/endpoints.ts';
import { storeSettledRunWithFanOut } from '../../shared/aws/table/runs.ts';
import { postponeWake } from '../../shared/aws/table/waiting.ts';
import { settledRun } from '../../shared/contract/intake-message.ts';
import { digest } from '../../shared/domain/derived-id.ts';
import { makeId } from '../../shared/domain/ids.ts';
import { acknowledged, at, customerId, someDelivery, someEndpoint } from '../support/aws-records.ts';
import { useTable } from '../support/table.ts';

const { current } = useTable();

const backoff = { wait: async () => {}, random: () => 0 };
const endpoint = someEndpoint({
  id: makeId('webhook', at, digest('costs')),
  status: 'failed',
  activatedAt: null,
});
const claim = { token: 'ours', leaseUntil: at + 30_000 };
const handshake = someDelivery({ webhookId: endpoint.id, attempts: 1, claim });

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
        token: 'ours',
        entry: acknowledged,
        transition: { status: 'delivered', endedAt: at },
      }),
    );
    await step('activate', () => activateEndpoint(table)(customerId, endpoint.id, at));
    await step('rotate', () =>
      replaceSecret(table)({
        customerId,
        webhookId: endpoint.id,
        secret: 'sealed-next',
        secretPrefix: 'whsec_BBBBBB',
        at,
        overlapEnd: at + 1,
      }),
    );
    await step('touch', () => touchEndpoint(table)(endpoint, at + 5000));
    await step('delete', () => entombEndpoint(table, backoff)(customerId, endpoint.id));

    expect(units).toEqual({ register: 7, record: 2, activate: 1, rotate: 1, touch: 1, delete: 6 });
  });

  it('hold for a Run that settles, a replay, and a wake-up that is postponed', async () => {
    const table = current();
    const run = settledRun.parse({
      id: 'run_costs',
      kind: 'creator_videos',
      status: 'completed',
      charge_usd: 0.25,
      created_at: '2026-11-20T11:59:00Z',
      settled_at: '2026-11-20T12:00:00Z',
    });
    const fanOut = { eventId: 'evt_1', acceptedAt: at, deliveries: [] };
    const replay = someDelivery();

    await storeSettledRunWithFanOut(table)(customerId, run, fanOut);
    const settles = table.takeWriteUnits();
    await storeDelivery(table)(replay, at);
    const replays = table.takeWriteUnits();
    await postponeWake(table)({ ...replay, wakeAt: at }, at + 900_000);
    const postpones = table.takeWriteUnits();
    await claimAttempt(table)(replay, 1, { ...claim, latestDue: at });
    const claims = table.takeWriteUnits();

    expect({ settles, replays, postpones, claims }).toEqual({
      settles: 2,
      replays: 2,
      postpones: 3,
      claims: 1,
    });
  });
});
