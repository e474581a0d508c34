import { describe, expect, it } from 'vitest';
import { slowAfter, slowFor } from '#shared/domain/lane.ts';
import { createDelivering, dueFor } from '../../../support/operations/delivering.ts';
import {
  acknowledged,
  buildDelivery,
  buildEndpoint,
  customerId,
  otherWebhookId,
  rejected,
  startOfTest,
  webhookId,
} from '../../../support/values/builders.ts';

const live = (world: ReturnType<typeof createDelivering>) => world.table.liveEndpoint(customerId, webhookId);
const marked = (since = startOfTest - slowFor) => buildEndpoint({ slowSince: since });
const numbered = (...numbers: readonly number[]) => numbers.map((number) => buildDelivery({}, number));
const dueOf = ({ webhookId: webhook, id }: ReturnType<typeof buildDelivery>) =>
  dueFor(1, { webhookId: webhook, id });
const quick = { ...acknowledged, durationMs: 20 };
const slow = { ...rejected, durationMs: slowAfter };

describe('deliverAttempts() at an endpoint that does not answer in time', () => {
  it('marks the endpoint while the attempt is in flight', async () => {
    const world = createDelivering({
      receiver: async () => {
        world.clock.pass(slowAfter);
        world.timers.fire();
        await Promise.resolve();
        expect(live(world)?.slowSince).toBe(startOfTest + slowAfter);
        return slow;
      },
    });

    expect(await world.deliver([dueFor()])).toEqual(['done']);

    expect(world.steps).toEqual(['claim', 'post', 'mark', 'record', 'schedule']);
    expect(world.events).toContainEqual({
      name: 'endpoint.slow',
      endpoint: { customerId, id: webhookId },
    });
  });

  it('marks it once for a batch, and schedules its retries in the slow lane', async () => {
    const deliveries = numbered(1, 2, 3);
    const world = createDelivering({
      deliveries,
      receiver: async () => {
        world.timers.fire();
        return slow;
      },
    });

    await world.deliver(deliveries.map(dueOf));

    expect(world.steps.filter((step) => step === 'mark')).toHaveLength(1);
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
    const world = createDelivering({
      receiver: async () => {
        world.timers.fire();
        return acknowledged;
      },
      deps: { markSlow: () => Promise.reject(cause) },
    });

    expect(await world.deliver([dueFor()])).toEqual(['done']);

    expect(world.deliveries.all()).toMatchObject([{ status: 'delivered' }]);
    expect(world.events).toContainEqual({
      name: 'step.failed',
      step: 'lane',
      subject: { customerId, webhookId },
      cause,
    });
  });

  it('does not write a mark again that the endpoint has', async () => {
    const world = createDelivering({
      endpoints: [marked()],
      receiver: async () => {
        world.timers.fire();
        return slow;
      },
      deps: { passOn: null },
    });

    await world.deliver([dueFor()]);

    expect(world.steps).not.toContain('mark');
    expect(world.lanes).toEqual(['slow']);
  });
});

describe('deliverAttempts() of a marked endpoint in the ordinary lane', () => {
  it('passes the messages on without claiming anything, and makes the other attempts of the batch', async () => {
    const [one, two] = numbered(1, 2);
    const other = buildDelivery({ webhookId: otherWebhookId }, 3);
    const world = createDelivering({
      deliveries: [one, two, other].flatMap((delivery) => delivery ?? []),
      endpoints: [marked(), buildEndpoint({ id: otherWebhookId })],
    });
    const attempts = [one, other, two].flatMap((delivery) => (delivery === undefined ? [] : dueOf(delivery)));

    expect(await world.deliver(attempts)).toEqual(['done', 'done', 'done']);

    expect(world.passedOn).toEqual([attempts[0], attempts[2]]);
    expect(world.posts).toHaveLength(1);
    expect(world.steps).toEqual(['claim', 'post', 'record']);
  });

  it('keeps the messages that the slow queue refused', async () => {
    const deliveries = numbered(1, 2);
    const world = createDelivering({
      deliveries,
      endpoints: [marked()],
      deps: { passOn: async (due) => due.slice(1) },
    });

    expect(await world.deliver(deliveries.map(dueOf))).toEqual(['done', 'retry']);
  });

  it('keeps every message when the slow queue fails', async () => {
    const cause = new Error('unavailable');
    const deliveries = numbered(1, 2);
    const world = createDelivering({
      deliveries,
      endpoints: [marked()],
      deps: { passOn: () => Promise.reject(cause) },
    });

    expect(await world.deliver(deliveries.map(dueOf))).toEqual(['retry', 'retry']);
    expect(world.events).toMatchObject(
      deliveries.map(() => ({ name: 'step.failed', step: 'deliver', cause })),
    );
  });

  it('cancels the deliveries of a deleted endpoint itself', async () => {
    const world = createDelivering({ endpoints: [{ ...marked(), status: 'deleted' }] });

    expect(await world.deliver([dueFor()])).toEqual(['done']);

    expect(world.passedOn).toEqual([]);
    expect(world.deliveries.all()).toMatchObject([{ cancelled: 'endpoint_deleted' }]);
  });
});

describe('deliverAttempts() of a marked endpoint in the slow lane', () => {
  it('clears an old mark after a quick answer', async () => {
    const world = createDelivering({
      endpoints: [marked()],
      receiver: () => quick,
      deps: { passOn: null },
    });

    expect(await world.deliver([dueFor()])).toEqual(['done']);

    expect(world.steps).toEqual(['claim', 'post', 'record', 'clear']);
    expect(live(world)?.slowSince).toBeNull();
    expect(world.events).toContainEqual({
      name: 'endpoint.quick_again',
      endpoint: { customerId, id: webhookId },
    });
  });

  it.each([
    ['a young mark', startOfTest - slowFor + 1, [quick]],
    ['an old mark while one attempt of the batch was slow', startOfTest - slowFor, [quick, slow]],
  ])('keeps %s', async (_, since, answers) => {
    const left = [...answers];
    const deliveries = numbered(...answers.keys());
    const world = createDelivering({
      deliveries,
      endpoints: [marked(since)],
      receiver: () => left.shift() ?? quick,
      deps: { passOn: null },
    });

    await world.deliver(deliveries.map(dueOf));

    expect(world.steps).not.toContain('clear');
    expect(live(world)?.slowSince).toBe(since);
  });

  it('attempts an endpoint that is not marked any more', async () => {
    const world = createDelivering({ deps: { passOn: null } });

    await world.deliver([dueFor()]);

    expect(world.deliveries.all()).toMatchObject([{ status: 'delivered' }]);
  });
});
