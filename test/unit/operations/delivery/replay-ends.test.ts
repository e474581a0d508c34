import { describe, expect, it } from 'vitest';
import { maxAttempts } from '#shared/domain/retry-plan.ts';
import type { AddToTally } from '#shared/operations/delivery/replay-ends.ts';
import { dueFor, type Given, outcomeOf } from '../../../support/operations/delivering.ts';
import {
  acknowledged,
  buildDelivery,
  customerId,
  deliveryIdNumber,
  rejected,
  startOfTest,
  webhookId,
} from '../../../support/values/builders.ts';

const tally = 'rpl_1#1.0';
const lastTry = { attempts: maxAttempts - 1, retryAt: startOfTest } as const;
const markOf = (number: number) => deliveryIdNumber(number).slice(-8);
const keyOf = (number: number) => ({ customerId, webhookId, id: deliveryIdNumber(number) });

/** Delivers, and keeps what is added to tallies. @param failures how often adding fails before */
async function tallied(given: Given, due: Parameters<typeof outcomeOf>[1][], failures = 0) {
  const added: unknown[] = [];
  let left = failures;
  const addToTally: AddToTally = async (_endpoint, name, marks) => {
    left -= 1;
    if (left >= 0) throw new Error('throttled');
    added.push([name, marks]);
  };
  const world = await outcomeOf({ ...given, deps: () => ({ addToTally }) }, ...due);
  return { world, added };
}

describe('the ends of replays that a bulk replay made', () => {
  it('are added to their tally in one write for the batch, and those of other deliveries to none', async () => {
    const deliveries = [
      buildDelivery({ tally, ...lastTry }, 1),
      buildDelivery({ tally, ...lastTry }, 2),
      buildDelivery({ tally }, 3),
      buildDelivery(lastTry, 4),
    ];
    const receiver: Given['receiver'] = ({ posts }) => (posts.length === 2 ? acknowledged : rejected);
    const due = [1, 2, 4].map((number) => ({ key: keyOf(number), attempt: maxAttempts }));

    const { added } = await tallied({ deliveries, receiver }, [...due, { key: keyOf(3), attempt: 1 }]);

    expect(added).toEqual([[tally, { delivered: [markOf(2)], failed: [markOf(1)] }]]);
  });

  it('are added when the message comes back, if they could not be before', async () => {
    const deliveries = [buildDelivery({ tally })];

    const { world, added } = await tallied({ deliveries }, [dueFor()], 1);

    expect(world).toMatchObject({
      results: ['retry'],
      stored: { status: 'delivered' },
      events: [{ name: 'step.failed', step: 'tally' }, { name: 'deliveries.acknowledged' }],
    });
    expect(await world.deliver(dueFor())).toEqual(['done']);
    expect(added).toEqual([[tally, { delivered: [markOf(1)], failed: [] }]]);
  });

  it('are added for a delivery that ends because its endpoint was deleted', async () => {
    const { world, added } = await tallied({ deliveries: [buildDelivery({ tally })], endpoints: [] }, [
      dueFor(),
    ]);

    expect(world).toMatchObject({ results: ['done'], stored: { status: 'failed' } });
    expect(added).toEqual([[tally, { delivered: [], failed: [markOf(1)] }]]);
  });
});
