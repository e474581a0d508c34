import { describe, expect, it } from 'vitest';
import { tallyKey } from '#shared/aws/table/keys.ts';
import type { DueAttempt } from '#shared/domain/delivery.ts';
import { maxAttempts } from '#shared/domain/retry-plan.ts';
import { asked, Delivering, dueFor, type Given } from '../../../support/operations/delivering.ts';
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

/** Delivers where the tally is open. @param failures how often adding to it fails before */
async function tallied(given: Given, due: readonly DueAttempt[], failures = 0) {
  let left = failures;
  const world = new Delivering({
    ...given,
    strike: asked('tally', () => {
      left -= 1;
      if (left >= 0) throw new Error('throttled');
    }),
  });
  const place = tallyKey(customerId, webhookId, tally);
  world.store.records.put({ ...place });
  const results = await world.deliver(...due);
  return {
    world,
    results,
    /** The row of the tally, and how often it was written. */
    added: () => [
      world.steps.filter((step) => step === 'tally').length,
      world.store.records.rows().find(({ pk, sk }) => pk === place.pk && sk === place.sk),
    ],
  };
}

const rowOf = (delivered: readonly string[], failed: readonly string[]) => ({
  ...tallyKey(customerId, webhookId, tally),
  ...(delivered.length === 0 ? {} : { delivered: new Set(delivered) }),
  ...(failed.length === 0 ? {} : { failed: new Set(failed) }),
});

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

    expect(added()).toEqual([1, rowOf([markOf(2)], [markOf(1)])]);
  });

  it('are added when the message comes back, if they could not be before', async () => {
    const deliveries = [buildDelivery({ tally })];

    const { world, results, added } = await tallied({ deliveries }, [dueFor()], 1);

    expect({ results, stored: world.stored, events: world.events }).toMatchObject({
      results: ['retry'],
      stored: { status: 'delivered' },
      events: [{ name: 'step.failed', step: 'tally' }, { name: 'deliveries.acknowledged' }],
    });
    expect(await world.deliver(dueFor())).toEqual(['done']);
    expect(added()).toEqual([2, rowOf([markOf(1)], [])]);
  });

  it('are added for a delivery that ends because its endpoint was deleted', async () => {
    const given = { deliveries: [buildDelivery({ tally })], endpoints: [] };

    const { world, results, added } = await tallied(given, [dueFor()]);

    expect([results, world.stored?.status]).toEqual([['done'], 'failed']);
    expect(added()).toEqual([1, rowOf([], [markOf(1)])]);
  });
});
