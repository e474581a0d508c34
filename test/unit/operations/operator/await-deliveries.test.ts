import { describe, expect, it } from 'vitest';
import type { Delivery } from '#shared/domain/delivery.ts';
import type { FanOut } from '#shared/domain/fan-out.ts';
import { awaitDeliveries } from '#shared/operations/operator/await-deliveries.ts';
import {
  buildDelivery,
  customerId,
  eventId,
  otherWebhookId,
  startOfTest,
  webhookId,
} from '../../../support/values/builders.ts';

const first = buildDelivery({}, 1);
const second = buildDelivery({ webhookId: otherWebhookId }, 2);
const fanOut: FanOut = {
  eventId,
  acceptedAt: startOfTest,
  deliveries: [first, second].map(({ id, webhookId }) => ({ deliveryId: id, webhookId })),
};

type Scene = {
  /** When the fan-out is stored, in milliseconds from the start of the wait. */
  readonly toldAt: number;
  /** The state of a delivery at a time. */
  readonly stateAt: (delivery: Delivery, ms: number) => Delivery | null;
};

/** A world in virtual time. */
function world({ toldAt, stateAt }: Scene) {
  let ms = 0;
  const reads: string[] = [];
  const awaiting = awaitDeliveries({
    now: () => startOfTest + ms,
    wait: async (time) => {
      ms += time;
    },
    readFanOut: async (customer, subject) => {
      reads.push(`${customer} ${subject}`);
      return ms >= toldAt ? fanOut : null;
    },
    readDelivery: async (key) => {
      reads.push(key.id);
      return stateAt(key.webhookId === webhookId ? first : second, ms);
    },
  });
  return {
    reads,
    elapsed: () => ms,
    run: (limit: number) => awaiting(customerId, 'run_1', startOfTest + limit),
  };
}

describe('awaitDeliveries()', () => {
  it('ends as soon as all deliveries have ended, and reads an ended one no more', async () => {
    const { run, reads, elapsed } = world({
      toldAt: 120,
      stateAt: (delivery, ms) => {
        if (delivery === first) return { ...first, status: 'delivered' };
        return ms < 400 ? delivery : { ...delivery, status: 'failed' };
      },
    });

    const { deliveries } = await run(30_000);

    expect(deliveries.map(({ stored }) => stored?.status)).toEqual(['delivered', 'failed']);
    expect(elapsed()).toBeGreaterThanOrEqual(400);
    expect(elapsed()).toBeLessThan(500);
    expect(reads.filter((read) => read === first.id)).toHaveLength(1);
    expect(reads.filter((read) => read === `${customerId} run_1`)).toHaveLength(4);
  });

  it('returns what it has seen when the time is over: deliveries that are pending or not yet stored', async () => {
    const { run, elapsed } = world({
      toldAt: 0,
      stateAt: (delivery) => (delivery === first ? delivery : null),
    });

    const { deliveries } = await run(2_000);

    expect(deliveries.map(({ id, stored }) => [id, stored?.status])).toEqual([
      [first.id, 'pending'],
      [second.id, undefined],
    ]);
    expect(elapsed()).toBe(2_000);
  });

  it('returns no fan-out when the message was not accepted in time', async () => {
    const { run } = world({ toldAt: 5_000, stateAt: () => null });

    expect(await run(1_000)).toEqual({ fanOut: null, deliveries: [] });
  });

  it('reads at most 100 times in the first minute of a long wait', async () => {
    const { run, reads } = world({ toldAt: 90_000, stateAt: () => null });

    await run(60_000);

    expect(reads.length).toBeLessThanOrEqual(100);
  });
});
