import { describe, expect, it } from 'vitest';
import type { Delivery } from '#shared/domain/delivery.ts';
import type { FanOut } from '#shared/domain/fan-out.ts';
import { awaitDeliveries, isOver } from '#shared/operations/operator/await-deliveries.ts';
import { createClock } from '../../../support/operations/deps.ts';
import { only } from '../../../support/stack/eventually.ts';
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

type StateAt = (delivery: Delivery, ms: number) => Delivery | null;

/**
 * A world in virtual time.
 *
 * @param toldAt when the fan-out is stored, in milliseconds from the start of the wait
 * @param stateAt the state of a delivery at a time
 * @param isDownAt whether no read is answered
 */
function createWorld(toldAt: number, stateAt: StateAt = () => null, isDownAt = (_ms: number) => false) {
  const clock = createClock(startOfTest);
  const elapsed = () => clock.now() - startOfTest;
  const reads: string[] = [];
  const awaiting = awaitDeliveries({
    now: clock.now,
    wait: async (time) => clock.pass(time),
    readFanOut: async (customer, subject) => {
      reads.push(`${customer} ${subject}`);
      if (isDownAt(elapsed())) throw new Error('down');
      return elapsed() >= toldAt ? fanOut : null;
    },
    readDelivery: async (key) => {
      reads.push(key.id);
      return stateAt(key.webhookId === webhookId ? first : second, elapsed());
    },
  });
  const run = async (limit: number) => only((await awaiting(customerId, ['run_1'], startOfTest + limit)).seen);
  return { reads, elapsed, run, awaiting };
}

describe('awaitDeliveries()', () => {
  it('ends as soon as all deliveries have ended, and reads an ended one no more', async () => {
    const { run, reads, elapsed } = createWorld(120, (delivery, ms) => {
      if (delivery === first) return { ...first, status: 'delivered' };
      return ms < 400 ? delivery : { ...delivery, status: 'failed' };
    });

    const { deliveries } = await run(30_000);

    expect(deliveries.map(({ stored }) => stored?.status)).toEqual(['delivered', 'failed']);
    expect(elapsed()).toBeGreaterThanOrEqual(400);
    expect(elapsed()).toBeLessThan(500);
    expect(reads.filter((read) => read === first.id)).toHaveLength(1);
    expect(reads.filter((read) => read === `${customerId} run_1`)).toHaveLength(4);
  });

  it('returns what it has seen when the time is over: deliveries that are pending or not yet stored', async () => {
    const { run, elapsed } = createWorld(0, (delivery) => (delivery === first ? delivery : null));

    const { deliveries } = await run(2_000);

    expect(deliveries.map(({ id, stored }) => [id, stored?.status])).toEqual([
      [first.id, 'pending'],
      [second.id, undefined],
    ]);
    expect(elapsed()).toBe(2_000);
  });

  it('waits for the events of several subjects together, and says what it sees meanwhile', async () => {
    const { awaiting, elapsed } = createWorld(100, (delivery) => ({ ...delivery, status: 'delivered' }));
    const over: number[] = [];

    const { seen } = await awaiting(customerId, ['run_1', 'run_2'], startOfTest + 30_000, (all) =>
      over.push(all.filter(isOver).length),
    );

    expect(seen.map(({ deliveries }) => deliveries.length)).toEqual([2, 2]);
    expect([over.at(0), over.at(-1), elapsed()]).toEqual([0, 2, 100]);
  });

  it('returns no fan-out when the message was not accepted in time', async () => {
    const { run } = createWorld(5_000);

    expect(await run(1_000)).toEqual({ fanOut: null, deliveries: [] });
  });

  it('looks again after a look that failed', async () => {
    const { awaiting } = createWorld(
      0,
      (delivery) => ({ ...delivery, status: 'delivered' }),
      (ms) => ms < 150,
    );

    const { seen, fault } = await awaiting(customerId, ['run_1'], startOfTest + 30_000);

    expect([seen.every(isOver), fault]).toEqual([true, null]);
  });

  it('ends early, with what it has seen, when five looks in a row failed', async () => {
    const { awaiting, reads } = createWorld(
      0,
      () => null,
      () => true,
    );

    const { seen, fault } = await awaiting(customerId, ['run_1'], startOfTest + 30_000);

    expect(seen).toEqual([{ fanOut: null, deliveries: [] }]);
    expect(fault).toEqual(new Error('down'));
    expect(reads).toHaveLength(5);
  });

  it('reads at most 100 times in the first minute of a long wait', async () => {
    const { run, reads } = createWorld(90_000);

    await run(60_000);

    expect(reads.length).toBeLessThanOrEqual(100);
  });
});
