import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { toEndpointItem } from '#shared/aws/table/endpoints/endpoint-item.ts';
import { liveEndpointKey } from '#shared/aws/table/keys.ts';
import type { Delivery } from '#shared/domain/delivery.ts';
import { slowAfter, slowFor } from '#shared/domain/lane.ts';
import type { SlowPace } from '#shared/domain/post-window.ts';
import { asked, Delivering, dueFor, type Given, outcomeOf } from '../../../support/operations/delivering.ts';
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

const slowSince = ({ store }: Delivering) => store.records.liveEndpoint(customerId, webhookId)?.slowSince;
const marked = (since = startOfTest - slowFor) => buildEndpoint({ slowSince: since });
const numbered = (count: number) => Array.from({ length: count }, (_, index) => buildDelivery({}, index));
const firstDue = (deliveries: readonly Delivery[]) => deliveries.map((delivery) => dueFor(1, delivery));
const quick = { ...acknowledged, durationMs: 20 };
const slow = { ...rejected, durationMs: slowAfter };
const inSlowLane = () => ({ lane: 'slow' as const });
const endpoint = { customerId, id: webhookId };

const late: Given['receiver'] = (_world, _request, onSlow) => {
  onSlow();
  return slow;
};
const throttled = new Error('throttled');
const fails = () => Promise.reject(throttled);

describe('deliverAttempts() at an endpoint that does not answer in time', () => {
  it('marks the endpoint while the attempt is in flight', async () => {
    const outcome = await outcomeOf({
      receiver: async (world, _request, onSlow) => {
        world.clock.pass(slowAfter);
        onSlow();
        await Promise.resolve();
        expect(slowSince(world)).toBe(startOfTest + slowAfter);
        return slow;
      },
    });

    expect(outcome.results).toEqual(['done']);
    expect(outcome.steps).toEqual(['claim', 'post', 'mark', 'pace', 'record', 'schedule']);
    expect(outcome.events).toContainEqual({ name: 'endpoint.slow', endpoint });
  });

  it('marks it once, schedules the retry in the slow lane, and passes on the attempts that have not begun', async () => {
    const deliveries = numbered(3);

    const { steps, scheduled, passedOn, results } = await outcomeOf(
      { deliveries, receiver: late },
      ...firstDue(deliveries),
    );

    expect(steps.filter((step) => step === 'mark' || step === 'post')).toEqual(['post', 'mark']);
    expect(scheduled.map(({ lane }) => lane)).toEqual(['slow']);
    expect(passedOn).toEqual(firstDue(deliveries).slice(1));
    expect(results).toEqual(['done', 'done', 'done']);
  });

  it('writes no mark that the endpoint has, and schedules its retries in the slow lane', async () => {
    const deliveries = numbered(3);
    const given = { endpoints: [marked()], deps: inSlowLane, deliveries, receiver: late };

    const { steps, scheduled } = await outcomeOf(given, ...firstDue(deliveries));

    expect(steps).not.toContain('mark');
    expect(scheduled.map(({ lane }) => lane)).toEqual(['slow', 'slow', 'slow']);
  });

  it('ends after the mark is stored, also when the attempt fails without an answer', async () => {
    const receiver: Given['receiver'] = (_world, _request, onSlow) => {
      onSlow();
      return { ...slow, outcome: 'connection_failed', responseStatus: null };
    };

    const world = await outcomeOf({ receiver, strike: asked('mark', () => setImmediate()) });

    expect(slowSince(world)).toBe(startOfTest);
  });

  it('makes and records the attempt when the mark fails, and reports the failure', async () => {
    const strike = asked('mark', () => setImmediate().then(fails));
    const outcome = await outcomeOf({ receiver: late, strike });

    expect(outcome).toMatchObject({ results: ['done'], stored: { attempts: 1, claim: null } });
    const subject = { customerId, webhookId };
    expect(outcome.events).toContainEqual({ name: 'step.failed', step: 'lane', subject, cause: throttled });
  });
});

describe('deliverAttempts() of a marked endpoint in the ordinary lane', () => {
  const both = firstDue(numbered(2));
  const atMarked = { deliveries: numbered(2), endpoints: [marked()] };

  it('passes the messages on without claiming anything, and makes the other attempts of the batch', async () => {
    const other = buildDelivery({ webhookId: otherWebhookId }, 3);
    const given = {
      deliveries: [...numbered(2), other],
      endpoints: [marked(), buildEndpoint({ id: otherWebhookId })],
    };

    expect(await outcomeOf(given, ...both.toSpliced(1, 0, dueFor(1, other)))).toMatchObject({
      results: ['done', 'done', 'done'],
      passedOn: both,
      steps: ['claim', 'post', 'record'],
    });
  });

  it('keeps the messages that the slow queue refused', async () => {
    const given: Given = { ...atMarked, deps: () => ({ enqueueAttempts: async (due) => due.slice(1) }) };

    expect((await outcomeOf(given, ...both)).results).toEqual(['done', 'retry']);
  });

  it('keeps every message when the slow queue fails', async () => {
    const failure = { name: 'step.failed', step: 'deliver', cause: throttled };
    const failing = () => ({ enqueueAttempts: fails });
    const { results, events } = await outcomeOf({ ...atMarked, deps: failing }, ...both);

    expect({ results, events }).toMatchObject({ results: ['retry', 'retry'], events: [failure, failure] });
  });
});

describe('deliverAttempts() of a marked endpoint in the slow lane', () => {
  const batch = { deliveries: numbered(3), deps: inSlowLane };
  const due = firstDue(batch.deliveries);
  const pace = (fastestMs: number, lastMs: number, size = 1): SlowPace => ({
    notedAt: startOfTest,
    isAnswering: true,
    window: { size, fastestMs, lastMs },
  });
  const paced = (slowPace: SlowPace | null) => ({ ...batch, endpoints: [{ ...marked(), slowPace }] });
  const later = { laterSeconds: expect.any(Number), spread: expect.any(Number) };
  const timedOut = { ...rejected, outcome: 'timed_out', responseStatus: null, durationMs: 10_000 } as const;

  it('puts all off while another worker has the turn, and says so', async () => {
    const world = new Delivering(paced(null));
    const row = { ...liveEndpointKey(customerId, webhookId), ...toEndpointItem(marked()) };
    world.store.records.put({ ...row, slow_turn: startOfTest + 1 });

    expect(await world.deliver(...due)).toEqual([later, later, later]);
    expect(world.steps).toEqual([]);
    expect(world.events).toEqual([{ name: 'attempts.put_off', endpoint, attempts: 3 }]);
  });

  it('makes the attempts when no turn can be taken because the table is down', async () => {
    const given = { ...paced(null), strike: asked('turn', fails) };

    expect((await outcomeOf(given, ...due)).results).toEqual(['done', 'done', 'done']);
  });

  it('puts the rest off once an answer has waited behind many others', async () => {
    const receiver = () => ({ ...acknowledged, durationMs: 6_000 });

    const { results, posts } = await outcomeOf({ ...paced(pace(900, 2_000)), receiver }, ...due);

    expect(results).toEqual(['done', later, later]);
    expect(posts).toHaveLength(1);
  });

  it('puts all off while the answers of others wait that long, each until those before it are answered', async () => {
    const { results, posts } = await outcomeOf(paced(pace(900, 6_000)), ...due);

    expect(posts).toEqual([]);
    expect(results).toEqual([6, 12, 18].map((laterSeconds) => ({ laterSeconds, spread: expect.any(Number) })));
    const spreads = results.map((result) => (typeof result === 'object' ? result.spread : NaN));
    expect(spreads.filter((spread) => spread >= 0.5 && spread < 1.5)).toHaveLength(3);
  });

  it('takes the silence for that of an endpoint that answers nothing, and makes all attempts at once', async () => {
    const world = new Delivering({ ...paced(null), receiver: () => timedOut });

    expect(await world.deliver(...due)).toEqual(['done', 'done', 'done']);
    expect(world.posts).toHaveLength(3);
    expect(world.store.records.liveEndpoint(customerId, webhookId)?.slowPace).toMatchObject({
      isAnswering: false,
    });
  });

  it('takes the silence for that of an endpoint that is overloaded while others get answers', async () => {
    // Takes longer than the read of the endpoint that begins with it.
    const strike = asked('record', async () => {
      for (let turns = 0; turns < 100; turns += 1) await null;
    });

    const { results, posts } = await outcomeOf(
      { ...paced(pace(900, 4_000)), receiver: () => timedOut, deps: inSlowLane, strike },
      ...due,
    );

    expect(results).toEqual(['done', later, later]);
    expect(posts).toHaveLength(1);
  });

  it('notes once that it answers fewer posts at once, beside the time of its last answer', async () => {
    const before = pace(5_000, 5_000, 3);
    const receiver: Given['receiver'] = ({ clock }) => {
      clock.pass(10_000);
      return timedOut;
    };
    const world = new Delivering({ ...paced(before), receiver });

    for (const attempt of due) {
      await world.deliver(attempt);
      world.clock.pass(20_000);
    }

    expect(world.posts).toHaveLength(3);
    expect(world.store.records.liveEndpoint(customerId, webhookId)?.slowPace).toEqual({
      ...before,
      window: { ...before.window, size: 0.75 },
    });
    expect(world.steps.filter((step) => step === 'pace')).toHaveLength(2);
  });

  it('makes and records the attempt when that note fails, and reports the failure', async () => {
    const strike = asked('pace', () => setImmediate().then(fails));
    const world = new Delivering({ ...paced(pace(5_000, 5_000, 3)), receiver: () => timedOut, strike });

    expect(await world.deliver(dueFor())).toEqual(['done']);
    const subject = { customerId, webhookId };
    expect(world.events).toContainEqual({ name: 'step.failed', step: 'lane', subject, cause: throttled });
  });

  it('takes an endpoint for silent that answered nothing for a minute, however many posts it got', async () => {
    const receiver: Given['receiver'] = ({ clock }) => {
      clock.pass(10_000);
      return timedOut;
    };
    const world = new Delivering({ ...paced(pace(900, 4_000)), receiver });

    for (const attempt of due) {
      await world.deliver(attempt);
      world.clock.pass(20_000);
    }

    expect(world.store.records.liveEndpoint(customerId, webhookId)?.slowPace).toMatchObject({ isAnswering: false });
  });

  it('clears an old mark after a quick answer', async () => {
    const world = new Delivering({ endpoints: [marked()], receiver: () => quick, deps: inSlowLane });

    expect(await world.deliver(dueFor())).toEqual(['done']);
    expect(world.steps).toEqual(['claim', 'post', 'pace', 'record', 'clear']);
    expect(slowSince(world)).toBeNull();
    expect(world.events).toContainEqual({ name: 'endpoint.quick_again', endpoint });
  });

  // test/unit/domain/lane.test.ts has when a mark is old, and an answer quick.
  it('keeps an old mark while one attempt of the batch was slow', async () => {
    const answers = [quick, slow];
    const deliveries = numbered(answers.length);
    const given = {
      deliveries,
      endpoints: [marked()],
      receiver: () => answers.shift() ?? quick,
      deps: inSlowLane,
    };

    const { steps } = await outcomeOf(given, ...firstDue(deliveries));

    expect(steps).not.toContain('clear');
  });

  it.each([
    [1_999, []],
    [2_000, ['pace']],
  ])('notes an answer %i ms after the last note: %j', async (passed, notes) => {
    const receiver: Given['receiver'] = ({ clock }) => {
      clock.pass(passed);
      return quick;
    };
    const endpoints = [{ ...marked(startOfTest), slowPace: pace(20, 20) }];

    const { steps } = await outcomeOf({ deps: inSlowLane, endpoints, receiver });

    expect(steps.filter((step) => step === 'pace')).toEqual(notes);
  });

  it('attempts an endpoint that is not marked any more', async () => {
    expect(await outcomeOf({ deps: inSlowLane })).toMatchObject({ stored: { status: 'delivered' } });
  });

  it.each([
    ['a waiting', { retryAt: startOfTest + minute }],
    ['an interrupted', { claim: { fencingToken: 'another worker', leaseUntil: startOfTest } }],
  ])('makes the timer of %s attempt in that lane', async (_, state) => {
    const deliveries = [buildDelivery({ attempts: 1, ...state })];
    const given = { deliveries, endpoints: [marked()], deps: inSlowLane };

    expect(await outcomeOf(given)).toMatchObject({ scheduled: [{ lane: 'slow' }] });
  });
});
