import { describe, expect, it } from 'vitest';
import type { Delivery } from '#shared/domain/delivery.ts';
import { planEndpoints } from '#shared/operations/replays/plan-bulk-replay.ts';
import { recordStore } from '../../../support/table/record-store.ts';
import { buildDelivery, buildEndpoint, startOfTest } from '../../../support/values/builders.ts';

const request = {
  status: 'failed',
  createdAfter: startOfTest,
  createdBefore: startOfTest + 1000,
  rate: 10,
} as const;

const busy = buildEndpoint({ id: 'whe_busy' });
const failed = buildEndpoint({ id: 'whe_failed', status: 'failed' });
const idle = buildEndpoint({ id: 'whe_idle' });

/** Deliveries of an endpoint, made one millisecond after another. */
const deliveriesOf = (webhookId: string, first: number, count: number, given: Partial<Delivery> = {}) =>
  Array.from({ length: count }, (_, index) => buildDelivery({ webhookId, status: 'failed', ...given }, first + index));

const replay = buildDelivery({ webhookId: busy.id, status: 'delivered', replayOf: 'whd_0' }, 2_000);
const { ports } = recordStore({
  endpoints: [busy, failed, idle],
  deliveries: [
    ...deliveriesOf(busy.id, 1, 45),
    ...deliveriesOf(busy.id, 900, 5, { replayedBy: replay.id }),
    replay,
    ...deliveriesOf(failed.id, 0, 7),
  ],
});

describe('planEndpoints()', () => {
  it('says how many deliveries of which endpoints are replayed, from when, and for how long', async () => {
    const ofBusy = { deliveries: 45, oldest: startOfTest + 1, newest: startOfTest + 45, complete: true };
    const ofIdle = { deliveries: 0, oldest: null, newest: null, complete: true };

    expect(await planEndpoints(ports.table, [busy, idle], request)).toEqual({
      endpoints: [
        { endpoint: busy, ...ofBusy, skipped: { replayedEarlier: 5, notActive: 0 } },
        { endpoint: idle, ...ofIdle, skipped: { replayedEarlier: 0, notActive: 0 } },
      ],
      ...ofBusy,
      replayedEarlier: 5,
      durationMs: 4500,
    });
  });

  it('skips the deliveries of an endpoint that is not active, and says so', async () => {
    const plan = await planEndpoints(ports.table, [failed, busy], request);

    expect(plan.endpoints[0]).toMatchObject({ deliveries: 0, skipped: { replayedEarlier: 0, notActive: 7 } });
    expect(plan).toMatchObject({ deliveries: 45, oldest: startOfTest + 1, newest: startOfTest + 45 });
  });

  it('is incomplete when one of its counts is', async () => {
    const limits = { roundReads: 10, mayContinue: ({ read }: { readonly read: number }) => read === 0 };

    expect(await planEndpoints(ports.table, [busy, idle], request, limits)).toMatchObject({
      deliveries: 10,
      complete: false,
    });
  });

  it('plans nothing for a range without deliveries', async () => {
    const nothing = { deliveries: 0, oldest: null, newest: null, durationMs: 0 };

    expect(await planEndpoints(ports.table, [idle], request)).toMatchObject(nothing);
  });
});
