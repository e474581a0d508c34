import { describe, expect, it } from 'vitest';
import { claimLease } from '#shared/domain/retry-plan.ts';
import { createDelivering, dueFor } from '../../../support/operations/delivering.ts';
import {
  buildDelivery,
  buildEndpoint,
  buildLogEntry,
  deliveryIdNumber,
  handshakeBody,
  hour,
  minute,
  rejected,
  startOfTest,
} from '../../../support/values/builders.ts';

const firstId = deliveryIdNumber(1);
const claim = (lease: number) => ({ fencingToken: 'another worker', leaseUntil: startOfTest + lease });

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

  it('returns a message to the queue while another worker attempts its delivery', async () => {
    const held = buildDelivery({ attempts: 1, claim: claim(1) });
    const world = createDelivering({ deliveries: [held] });

    expect(await world.deliver([dueFor()])).toEqual(['retry']);
    expect(world.deliveries.get(firstId)).toEqual(held);
  });

  it('returns a message to the queue before the time of its attempt', async () => {
    const waiting = buildDelivery({ attempts: 1, retryAt: startOfTest + 1 });
    const world = createDelivering({ deliveries: [waiting] });

    expect(await world.deliver([dueFor(2)])).toEqual(['retry']);
    world.clock.pass(1);
    expect(await world.deliver([dueFor(2)])).toEqual(['done']);
    expect(world.posts).toHaveLength(1);
  });

  it('accepts a message before its time where waits are shortened', async () => {
    const waiting = buildDelivery({ attempts: 1, retryAt: startOfTest + hour });
    const world = createDelivering({ deliveries: [waiting], deps: { dueToleranceMs: 24 * hour } });

    expect(await world.deliver([dueFor(2)])).toEqual(['done']);
    expect(world.posts).toHaveLength(1);
  });

  it('makes the timer of a waiting attempt again', async () => {
    const waiting = buildDelivery({
      attempts: 1,
      retryAt: startOfTest + 10 * minute,
      log: [buildLogEntry()],
    });
    const world = createDelivering({ deliveries: [waiting] });

    expect(await world.deliver([dueFor()])).toEqual(['done']);
    expect(world.steps).toEqual(['claim', 'schedule']);
    expect(world.scheduled).toEqual([{ due: dueFor(2), at: startOfTest + 10 * minute }]);
    expect(world.deliveries.get(firstId)).toEqual(waiting);
  });
});

describe('deliverAttempts() about an attempt whose worker died', () => {
  it('counts an interrupted attempt as failed without another POST, and schedules the next one', async () => {
    const interrupted = buildDelivery({ attempts: 1, claim: claim(0) });
    const world = createDelivering({ deliveries: [interrupted] });

    expect(await world.deliver([dueFor()])).toEqual(['done']);
    expect(world.steps).toEqual(['claim', 'record', 'schedule']);
    expect(world.deliveries.get(firstId)).toMatchObject({
      status: 'pending',
      attempts: 1,
      claim: null,
      retryAt: startOfTest + 10 * minute,
      log: [
        {
          at: startOfTest - 30_000,
          outcome: 'interrupted',
          responseStatus: null,
          error: 'The attempt was interrupted before its outcome was known',
          durationMs: 30_000,
        },
      ],
    });
    expect(world.scheduled).toEqual([{ due: dueFor(2), at: startOfTest + 10 * minute }]);
    expect(world.events).toMatchObject([{ name: 'delivery.interrupted', attempt: 1 }]);
  });

  it('ends the delivery when the interrupted attempt was the third', async () => {
    const world = createDelivering({ deliveries: [buildDelivery({ attempts: 3, claim: claim(-1) })] });

    expect(await world.deliver([dueFor(3)])).toEqual(['done']);
    expect(world.deliveries.get(firstId)).toMatchObject({ status: 'failed', endedAt: startOfTest });
    expect(world.scheduled).toEqual([]);
  });

  it('ends an interrupted handshake, which is never retried', async () => {
    const handshake = buildDelivery({ attempts: 1, claim: claim(-1), body: handshakeBody });
    const world = createDelivering({
      deliveries: [handshake],
      endpoints: [buildEndpoint({ status: 'failed' })],
    });

    expect(await world.deliver([dueFor()])).toEqual(['done']);
    expect(world.deliveries.get(firstId)).toMatchObject({ status: 'failed', attempts: 1 });
    expect(world.scheduled).toEqual([]);
    expect(world.posts).toEqual([]);
  });

  it('schedules the next attempt of a replayed test event', async () => {
    const replay = buildDelivery({
      attempts: 1,
      claim: claim(-1),
      body: handshakeBody,
      replayOf: deliveryIdNumber(9),
    });
    const world = createDelivering({ deliveries: [replay] });

    await world.deliver([dueFor()]);

    expect(world.deliveries.get(firstId)).toMatchObject({
      status: 'pending',
      retryAt: startOfTest + 10 * minute,
    });
  });

  it('records the time of the claim as the start of an interrupted attempt', async () => {
    const world = createDelivering({ deliveries: [buildDelivery({ attempts: 1, claim: claim(-5) })] });

    await world.deliver([dueFor()]);

    expect(world.deliveries.get(firstId)?.log).toMatchObject([
      { at: startOfTest - 5 - claimLease, durationMs: claimLease + 5 },
    ]);
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

  it('attempts the delivery again at its time, and at most three times in all', async () => {
    const world = createDelivering({
      deliveries: [buildDelivery({ attempts: 1, claim: claim(-1) })],
      receiver: () => rejected,
    });

    for (const attempt of [1, 2, 3]) {
      await world.deliver([dueFor(attempt)]);
      world.clock.pass(50 * minute);
    }

    expect(world.posts).toHaveLength(2);
    expect(world.deliveries.get(firstId)).toMatchObject({ status: 'failed', attempts: 3 });
    expect(world.deliveries.get(firstId)?.log.map(({ outcome }) => outcome)).toEqual([
      'interrupted',
      'rejected',
      'rejected',
    ]);
  });
});
