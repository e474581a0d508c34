import { describe, expect, it } from 'vitest';
import { claimLease } from '#shared/domain/retry-plan.ts';
import { createDelivering, dueFor } from '../../../support/operations/delivering.ts';
import {
  buildDelivery,
  deliveryIdNumber,
  handshakeBody,
  hour,
  minute,
  startOfTest,
} from '../../../support/values/builders.ts';

const claim = (lease: number) => ({ fencingToken: 'another worker', leaseUntil: startOfTest + lease });
const waiting = (until: number) => buildDelivery({ attempts: 1, retryAt: startOfTest + until });

describe('deliverAttempts() about a message whose attempt cannot be claimed', () => {
  it('returns a message to the queue while its delivery is not stored yet', async () => {
    const world = createDelivering({ deliveries: [] });

    expect(await world.deliver([dueFor()])).toEqual(['retry']);
    expect(world.steps).toEqual(['claim']);
  });

  it('completes a message of a delivery that ended', async () => {
    const world = createDelivering({ deliveries: [buildDelivery({ status: 'delivered', attempts: 1 })] });

    expect(await world.deliver([dueFor(), dueFor(2)])).toEqual(['done', 'done']);
    expect(world.posts).toEqual([]);
  });

  it.each([
    [
      'returns',
      'another worker attempts its delivery',
      buildDelivery({ attempts: 1, claim: claim(1) }),
      'retry',
    ],
    [
      'returns',
      'its delivery can be claimed after all, as another worker gave it back',
      buildDelivery(),
      'retry',
    ],
    [
      'completes',
      'its delivery is past this attempt',
      buildDelivery({ attempts: 2, retryAt: startOfTest }),
      'done',
    ],
    ['completes', 'its delivery has no time for a next attempt', buildDelivery({ attempts: 1 }), 'done'],
  ] as const)('%s a message when %s', async (_, __, delivery, result) => {
    const world = createDelivering({
      deliveries: [delivery],
      deps: { claimAttempt: async () => ({ claimed: false, delivery }) },
    });

    expect(await world.deliver([dueFor()])).toEqual([result]);
    expect(world.steps).toEqual([]);
  });

  it('returns a message to the queue before the time of its attempt', async () => {
    const world = createDelivering({ deliveries: [waiting(1)] });

    expect(await world.deliver([dueFor(2)])).toEqual(['retry']);
    world.clock.pass(1);
    expect(await world.deliver([dueFor(2)])).toEqual(['done']);
    expect(world.posts).toHaveLength(1);
  });

  it('accepts a message before its time where waits are shortened', async () => {
    const world = createDelivering({ deliveries: [waiting(hour)], deps: { dueToleranceMs: 24 * hour } });

    expect(await world.deliver([dueFor(2)])).toEqual(['done']);
    expect(world.posts).toHaveLength(1);
  });

  it('makes the timer of a waiting attempt again', async () => {
    const world = createDelivering({ deliveries: [waiting(10 * minute)] });

    expect(await world.deliver([dueFor()])).toEqual(['done']);
    expect(world.steps).toEqual(['claim', 'schedule']);
    expect(world.scheduled).toEqual([{ due: dueFor(2), at: startOfTest + 10 * minute }]);
    expect(world.stored()).toEqual(waiting(10 * minute));
  });
});

describe('deliverAttempts() about an attempt whose worker died', () => {
  it('counts an interrupted attempt as failed without another POST, and schedules the next one', async () => {
    const world = createDelivering({ deliveries: [buildDelivery({ attempts: 1, claim: claim(-5) })] });

    expect(await world.deliver([dueFor()])).toEqual(['done']);
    expect(world.steps).toEqual(['claim', 'record', 'schedule']);
    expect(world.stored()).toMatchObject({
      status: 'pending',
      attempts: 1,
      claim: null,
      retryAt: startOfTest + 10 * minute,
      log: [
        {
          at: startOfTest - 5 - claimLease,
          outcome: 'interrupted',
          responseStatus: null,
          error: 'The attempt was interrupted before its outcome was known',
          durationMs: claimLease + 5,
        },
      ],
    });
    expect(world.scheduled).toEqual([{ due: dueFor(2), at: startOfTest + 10 * minute }]);
    expect(world.events).toMatchObject([{ name: 'delivery.interrupted', attempt: 1 }]);
  });

  it.each([
    { of: 'the third', given: { attempts: 3 }, status: 'failed' },
    { of: 'a handshake, which is never retried', given: { body: handshakeBody }, status: 'failed' },
    {
      of: 'a replayed test event',
      given: { body: handshakeBody, replayOf: deliveryIdNumber(9) },
      status: 'pending',
    },
  ] as const)('leaves a delivery $status when the interrupted attempt was $of', async ({ given, status }) => {
    const interrupted = buildDelivery({ attempts: 1, claim: claim(0), ...given });
    const world = createDelivering({ deliveries: [interrupted] });

    expect(await world.deliver([dueFor(interrupted.attempts)])).toEqual(['done']);
    expect(world.stored()).toMatchObject({ status, attempts: interrupted.attempts });
    expect(world.scheduled).toHaveLength(status === 'pending' ? 1 : 0);
    expect(world.posts).toEqual([]);
  });

  it('changes nothing when another worker settled the attempt first', async () => {
    const world = createDelivering({
      deliveries: [buildDelivery({ attempts: 1, claim: claim(-1) })],
      deps: { recordAttempt: async () => false },
    });

    expect(await world.deliver([dueFor()])).toEqual(['done']);
    expect(world.scheduled).toEqual([]);
    expect(world.events).toEqual([]);
  });
});
