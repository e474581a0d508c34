import { describe, expect, it } from 'vitest';
import { slowAfter, slowFor } from '#shared/domain/lane.ts';
import type { EnqueueAttempts } from '#shared/operations/ports.ts';
import { createDelivering, dueFor } from '../../../support/operations/delivering.ts';
import {
  acknowledged,
  buildDelivery,
  buildEndpoint,
  customerId,
  minute,
  otherWebhookId,
  rejected,
  startOfTest,
  webhookId,
} from '../../../support/values/builders.ts';

type World = ReturnType<typeof createDelivering>;

const slowSince = (world: World) => world.table.liveEndpoint(customerId, webhookId)?.slowSince;
const marked = (since = startOfTest - slowFor) => buildEndpoint({ slowSince: since });
const numbered = (count: number) => Array.from({ length: count }, (_, index) => buildDelivery({}, index));
const dueOf = (delivery: ReturnType<typeof buildDelivery>) => dueFor(1, delivery);
const quick = { ...acknowledged, durationMs: 20 };
const slow = { ...rejected, durationMs: slowAfter };
const inSlowLane = { passOn: null };
const endpoint = { customerId, id: webhookId };

describe('deliverAttempts() at an endpoint that does not answer in time', () => {
  it('marks the endpoint while the attempt is in flight', async () => {
    const world: World = createDelivering({
      receiver: async () => {
        world.clock.pass(slowAfter);
        world.timers.fire();
        await Promise.resolve();
        expect(slowSince(world)).toBe(startOfTest + slowAfter);
        return slow;
      },
    });

    expect(await world.deliver([dueFor()])).toEqual(['done']);

    expect(world.steps).toEqual(['claim', 'post', 'mark', 'record', 'schedule']);
    expect(world.events).toContainEqual({ name: 'endpoint.slow', endpoint });
  });

  it.each([
    { title: 'marks it once for a batch', endpoints: [buildEndpoint()], marks: 1, deps: {} },
    { title: 'writes no mark that the endpoint has', endpoints: [marked()], marks: 0, deps: inSlowLane },
  ])('$title, and schedules its retries in the slow lane', async ({ endpoints, marks, deps }) => {
    const deliveries = numbered(3);
    const world: World = createDelivering({
      deliveries,
      endpoints,
      receiver: () => {
        world.timers.fire();
        return slow;
      },
      deps,
    });

    await world.deliver(deliveries.map(dueOf));

    expect(world.steps.filter((step) => step === 'mark')).toHaveLength(marks);
    expect(world.lanes).toEqual(['slow', 'slow', 'slow']);
  });

  it('does not mark an endpoint that answered before the timer ran', async () => {
    const world = createDelivering({ receiver: () => rejected });

    await world.deliver([dueFor()]);
    world.timers.fire();

    expect(world.steps).not.toContain('mark');
    expect(world.lanes).toEqual(['ordinary']);
  });

  it('makes and records the attempt when the mark fails, and reports the failure', async () => {
    const cause = new Error('throttled');
    const world: World = createDelivering({
      receiver: () => {
        world.timers.fire();
        return acknowledged;
      },
      deps: { markSlow: () => Promise.reject(cause) },
    });

    expect(await world.deliver([dueFor()])).toEqual(['done']);

    expect(world.stored()).toMatchObject({ status: 'delivered' });
    const subject = { customerId, webhookId };
    expect(world.events).toContainEqual({ name: 'step.failed', step: 'lane', subject, cause });
  });
});

describe('deliverAttempts() of a marked endpoint in the ordinary lane', () => {
  it('passes the messages on without claiming anything, and makes the other attempts of the batch', async () => {
    const other = buildDelivery({ webhookId: otherWebhookId }, 3);
    const world = createDelivering({
      deliveries: [...numbered(2), other],
      endpoints: [marked(), buildEndpoint({ id: otherWebhookId })],
    });
    const [one, two] = [buildDelivery({}, 0), buildDelivery({}, 1)].map(dueOf);
    const attempts = [one, dueOf(other), two].flatMap((due) => due ?? []);

    expect(await world.deliver(attempts)).toEqual(['done', 'done', 'done']);

    expect(world.passedOn).toEqual([one, two]);
    expect(world.posts).toHaveLength(1);
    expect(world.steps).toEqual(['claim', 'post', 'record']);
  });

  it('keeps the messages that the slow queue refused', async () => {
    const deliveries = numbered(2);
    const passOn: EnqueueAttempts = async (due) => due.slice(1);
    const world = createDelivering({ deliveries, endpoints: [marked()], deps: { passOn } });

    expect(await world.deliver(deliveries.map(dueOf))).toEqual(['done', 'retry']);
  });

  it('keeps every message when the slow queue fails', async () => {
    const cause = new Error('unavailable');
    const deliveries = numbered(2);
    const passOn = () => Promise.reject(cause);
    const world = createDelivering({ deliveries, endpoints: [marked()], deps: { passOn } });

    expect(await world.deliver(deliveries.map(dueOf))).toEqual(['retry', 'retry']);
    const failure = { name: 'step.failed', step: 'deliver', cause };
    expect(world.events).toMatchObject([failure, failure]);
  });

  it('cancels the deliveries of a deleted endpoint itself', async () => {
    const world = createDelivering({ endpoints: [{ ...marked(), status: 'deleted' }] });

    expect(await world.deliver([dueFor()])).toEqual(['done']);

    expect(world.passedOn).toEqual([]);
    expect(world.stored()).toMatchObject({ cancelled: 'endpoint_deleted' });
  });
});

describe('deliverAttempts() of a marked endpoint in the slow lane', () => {
  it('clears an old mark after a quick answer', async () => {
    const world = createDelivering({ endpoints: [marked()], receiver: () => quick, deps: inSlowLane });

    expect(await world.deliver([dueFor()])).toEqual(['done']);

    expect(world.steps).toEqual(['claim', 'post', 'record', 'clear']);
    expect(slowSince(world)).toBeNull();
    expect(world.events).toContainEqual({ name: 'endpoint.quick_again', endpoint });
  });

  it.each([
    ['a young mark', startOfTest - slowFor + 1, [quick]],
    ['an old mark while one attempt of the batch was slow', startOfTest - slowFor, [quick, slow]],
  ])('keeps %s', async (_, since, answers) => {
    const left = [...answers];
    const deliveries = numbered(answers.length);
    const receiver = () => left.shift() ?? quick;
    const world = createDelivering({ deliveries, endpoints: [marked(since)], receiver, deps: inSlowLane });

    await world.deliver(deliveries.map(dueOf));

    expect(world.steps).not.toContain('clear');
    expect(slowSince(world)).toBe(since);
  });

  it('attempts an endpoint that is not marked any more', async () => {
    const world = createDelivering({ deps: inSlowLane });

    await world.deliver([dueFor()]);

    expect(world.stored()).toMatchObject({ status: 'delivered' });
  });

  it('makes the timer of a waiting attempt again in that lane', async () => {
    const waiting = buildDelivery({ attempts: 1, retryAt: startOfTest + minute });
    const world = createDelivering({ deliveries: [waiting], endpoints: [marked()], deps: inSlowLane });

    await world.deliver([dueFor()]);

    expect(world.lanes).toEqual(['slow']);
  });
});
