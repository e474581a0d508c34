import { describe, expect, it } from 'vitest';
import { limits } from '#shared/contract/limits.ts';
import type { Delivery } from '#shared/domain/delivery.ts';
import { digest } from '#shared/domain/derived-id.ts';
import { makeId } from '#shared/domain/ids.ts';
import { planBulkReplay } from '#shared/operations/replays/plan-bulk-replay.ts';
import { createClock } from '../../../support/operations/deps.ts';
import { recordStore } from '../../../support/table/record-store.ts';
import { buildEndpoint, hour, otherWebhookId, startOfTest } from '../../../support/values/builders.ts';
import { failedDeliveries } from './replay-world.ts';

const endpoint = buildEndpoint();

const other = buildEndpoint({ id: otherWebhookId, createdAt: startOfTest + hour });

/** The delivery with an event of its own. */
const withOwnEvent = (delivery: Delivery): Delivery => ({
  ...delivery,
  body: delivery.body.replace(delivery.event.id, makeId('event', startOfTest, digest(delivery.id))),
});

/**
 * Plans over deliveries that are all selected: to their own endpoint, or to another one.
 *
 * @returns the plan, and the requests that it counted
 */
async function plan(stored: number, { admitted = 60, queryTime = 0, to = endpoint } = {}) {
  const clock = createClock(startOfTest + 60_000);
  const { ports } = recordStore({
    endpoints: [endpoint, other],
    deliveries: failedDeliveries(stored).map(withOwnEvent),
    asking: (request) => clock.pass(request === 'query DLV' ? queryTime : 0),
  });
  let requests = 1;
  const planned = await planBulkReplay({ ...ports, now: clock.now })({
    customerId: endpoint.customerId,
    webhookId: to.id,
    selection: { status: 'failed', createdAfter: 0, createdBefore: null, sourceWebhookId: endpoint.id },
    rate: 10,
    countRequest: async () => {
      if (requests === admitted) return false;
      requests += 1;
      return true;
    },
  });
  return { deliveries: planned.deliveries, complete: planned.complete, requests };
}

describe('planBulkReplay()', () => {
  it.each([
    { stored: 0, requests: 1 },
    { stored: 499, requests: 1 },
    { stored: 501, requests: 2 },
    { stored: 1_999, requests: 4 },
  ])('counts as one request for each 500 deliveries that it reads: $stored', async ({ stored, requests }) => {
    expect(await plan(stored)).toEqual({ deliveries: stored, complete: true, requests });
  });

  it('ends incomplete after twenty requests', async () => {
    const most = limits.planRequests * limits.planReadsPerRequest;

    const planned = await plan(most + 1_000);

    expect(planned).toMatchObject({ complete: false, requests: 20 });
    expect(planned.deliveries - (planned.deliveries % 500)).toBe(most);
  });

  it.each([
    { stored: 50, requests: 1 },
    { stored: 500, requests: 9 },
  ])(
    'counts an event of another endpoint like about ten deliveries, because it is looked up: $stored',
    async ({ stored, requests }) => {
      expect(await plan(stored, { to: other })).toEqual({ deliveries: stored, complete: true, requests });
    },
  );

  it('ends incomplete after about a thousand events of another endpoint', async () => {
    const planned = await plan(3_000, { to: other });

    expect(planned).toMatchObject({ complete: false, requests: 20 });
    expect(Math.round(planned.deliveries / 500)).toBe(2);
  });

  it('ends incomplete when the request limit is reached', async () => {
    const planned = await plan(3_000, { admitted: 3 });

    expect(planned).toMatchObject({ complete: false, requests: 3 });
    expect(planned.deliveries - (planned.deliveries % 500)).toBe(1_500);
  });

  it('ends incomplete after 15 seconds', async () => {
    expect(await plan(2_000, { queryTime: 5_000 })).toMatchObject({ complete: false, requests: 2 });
  });
});
