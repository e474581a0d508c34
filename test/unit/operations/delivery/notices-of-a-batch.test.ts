import { describe, expect, it } from 'vitest';
import type { Endpoint } from '#shared/domain/endpoint.ts';
import { type Delivering, dueFor, type Given, outcomeOf } from '../../../support/operations/delivering.ts';
import {
  acknowledged,
  buildDelivery,
  buildEndpoint,
  buildLogEntry,
  buildOwedNotice,
  customerId,
  rejected,
  startOfTest,
  webhookId,
} from '../../../support/values/builders.ts';

const log = [buildLogEntry(), buildLogEntry()];
/** Both before their last attempts. */
const one = buildDelivery({ attempts: 2, log }, 1);
const other = buildDelivery({ attempts: 2, log }, 2);

/** The last attempts of both, in a stage that sends notices: the first one fails, the second one is acknowledged. */
function outcomeOfBoth(endpoint: Endpoint, strike: Given['strike'] = () => {}) {
  const deps = ({ sendNotice }: Delivering) => ({ sendNotice, noticeAfter: 1 });
  const receiver = ({ posts }: Delivering) => (posts.length === 1 ? rejected : acknowledged);
  const given = { deliveries: [one, other], endpoints: [endpoint], receiver, deps, strike };
  return outcomeOf(given, dueFor(3, one), dueFor(3, other));
}

describe('a batch with two changes', () => {
  it.each([
    ['first', 1],
    ['second', 2],
  ])('returns its messages when the %s may not be stored', async (_which, broken) => {
    let writes = 0;
    const outcome = await outcomeOfBoth(buildEndpoint(), (_world, moment, does) => {
      if (does !== 'health' || moment === 'after') return;
      writes += 1;
      if (writes === broken) throw new Error('throttled');
    });

    expect(outcome.steps.filter((step) => step === 'record')).toHaveLength(2);
    expect(outcome.results).toEqual(['retry', 'retry']);
  });

  it('is done when both are stored', async () => {
    expect((await outcomeOfBoth(buildEndpoint())).results).toEqual(['done', 'done']);
  });
});

describe('a batch with a change of its own', () => {
  it('leaves the notices of other batches to these', async () => {
    const foreign = buildOwedNotice({ type: 'endpoint.recovered', deliveryId: 'whd_other' });
    const outcome = await outcomeOf(
      {
        deliveries: [one],
        endpoints: [buildEndpoint({ owedNotices: [foreign] })],
        receiver: () => rejected,
        deps: ({ sendNotice }) => ({ sendNotice, noticeAfter: 1 }),
      },
      dueFor(3, one),
    );

    expect(outcome.notices).toMatchObject([{ type: 'endpoint.failing', deliveryId: one.id }]);
    expect(outcome.store.table.liveEndpoint(customerId, webhookId)?.owedNotices).toEqual([foreign]);
  });

  it('sends the notice that an earlier try of it left, with its own, and no other one', async () => {
    const ours = buildOwedNotice({ type: 'endpoint.recovered', deliveryId: one.id, at: startOfTest - 1 });
    const foreign = buildOwedNotice({ type: 'endpoint.recovered', deliveryId: 'whd_other' });
    const outcome = await outcomeOfBoth(buildEndpoint({ owedNotices: [foreign, ours] }));

    expect(new Set(outcome.notices.map(({ deliveryId }) => deliveryId))).toEqual(new Set([one.id, other.id]));
    expect(outcome.store.table.liveEndpoint(customerId, webhookId)?.owedNotices).toEqual([foreign]);
  });
});
