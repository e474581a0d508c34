import { describe, expect, it } from 'vitest';
import { claimLease } from '#shared/domain/retry-plan.ts';
import { answered, asked, Delivering, dueFor, outcomeOf } from '../../../support/operations/delivering.ts';
import {
  buildDelivery,
  deliveryIdNumber,
  handshakeBody,
  hour,
  minute,
  retryAfter,
  startOfTest,
} from '../../../support/values/builders.ts';

const claim = (lease: number) => ({ fencingToken: 'another worker', leaseUntil: startOfTest + lease });
const waiting = (until: number) => buildDelivery({ attempts: 1, retryAt: startOfTest + until });

// test/unit/domain/delivery.test.ts has which messages are early, obsolete, waiting and so on.
describe('deliverAttempts() about a message whose attempt cannot be claimed', () => {
  it('returns a message to the queue while its delivery is not stored yet', async () => {
    expect(await outcomeOf({ deliveries: [] })).toMatchObject({ results: ['retry'], steps: ['claim'] });
  });

  it('completes a message of a delivery that ended', async () => {
    const deliveries = [buildDelivery({ status: 'delivered', attempts: 1 })];

    expect(await outcomeOf({ deliveries }, dueFor(), dueFor(2))).toMatchObject({
      results: ['done', 'done'],
      posts: [],
    });
  });

  it.each([
    ['returns', 'another worker attempts its delivery', { attempts: 1, claim: claim(1) }, 'retry'],
    ['completes', 'its delivery has no time for a next attempt', { attempts: 1 }, 'done'],
  ] as const)('%s a message when %s', async (_, __, given, result) => {
    expect(await outcomeOf({ deliveries: [buildDelivery(given)] })).toMatchObject({
      results: [result],
      steps: ['claim'],
    });
  });

  it('returns a message when its attempt came due while its claim was refused', async () => {
    const strike = answered('claim', ({ clock }) => clock.pass(1));

    expect(await outcomeOf({ deliveries: [waiting(1)], strike }, dueFor(2))).toMatchObject({
      results: ['retry'],
      steps: ['claim'],
    });
  });

  it('returns a message to the queue before the time of its attempt', async () => {
    const world = new Delivering({ deliveries: [waiting(1)] });

    expect(await world.deliver(dueFor(2))).toEqual(['retry']);
    world.clock.pass(1);
    expect(await world.deliver(dueFor(2))).toEqual(['done']);
    expect(world.posts).toHaveLength(1);
  });

  it('accepts a message before its time where waits are shortened', async () => {
    const given = { deliveries: [waiting(hour)], deps: () => ({ dueToleranceMs: 24 * hour }) };

    expect(await outcomeOf(given, dueFor(2))).toMatchObject({ results: ['done'], stored: { attempts: 2 } });
  });

  it('makes the timer of a waiting attempt again', async () => {
    expect(await outcomeOf({ deliveries: [waiting(10 * minute)] })).toMatchObject({
      results: ['done'],
      steps: ['claim', 'schedule'],
      scheduled: [{ due: dueFor(2), at: startOfTest + 10 * minute }],
      stored: waiting(10 * minute),
    });
  });
});

describe('deliverAttempts() about an attempt whose worker died', () => {
  it('counts an interrupted attempt as failed without another POST, and schedules the next one', async () => {
    const deliveries = [buildDelivery({ attempts: 1, claim: claim(-5) })];
    const retryAt = retryAfter(1, startOfTest);
    const entry = {
      at: startOfTest - 5 - claimLease,
      outcome: 'interrupted',
      responseStatus: null,
      error: 'The attempt was interrupted before its outcome was known',
      durationMs: claimLease + 5,
    };

    expect(await outcomeOf({ deliveries })).toMatchObject({
      results: ['done'],
      steps: ['claim', 'record', 'schedule'],
      stored: { status: 'pending', attempts: 1, claim: null, retryAt, log: [entry] },
      scheduled: [{ due: dueFor(2), at: retryAt }],
      events: [{ name: 'delivery.interrupted', attempt: 1 }],
    });
  });

  const replayOf = deliveryIdNumber(9);

  it.each([
    { of: 'the third', given: { attempts: 3 }, status: 'failed' },
    { of: 'a handshake, which is never retried', given: { body: handshakeBody }, status: 'failed' },
    { of: 'a replayed test event', given: { body: handshakeBody, replayOf }, status: 'pending' },
  ])('leaves a delivery $status when the interrupted attempt was $of', async ({ given, status }) => {
    const interrupted = buildDelivery({ attempts: 1, claim: claim(0), ...given });

    const outcome = await outcomeOf({ deliveries: [interrupted] }, dueFor(interrupted.attempts));

    expect(outcome).toMatchObject({ results: ['done'], stored: { status, attempts: interrupted.attempts } });
    expect(outcome.scheduled).toHaveLength(status === 'pending' ? 1 : 0);
    expect(outcome.posts).toEqual([]);
  });

  it('changes nothing when another worker settled the attempt first', async () => {
    const deliveries = [buildDelivery({ attempts: 1, claim: claim(-1) })];
    const settled = buildDelivery({ status: 'failed', attempts: 1, endedAt: startOfTest });
    const strike = asked('record', ({ store }) => store.deliveries.put(settled));

    expect(await outcomeOf({ deliveries, strike })).toMatchObject({
      stored: settled,
      results: ['done'],
      scheduled: [],
      events: [],
    });
  });
});
