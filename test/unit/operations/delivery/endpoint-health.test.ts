import { describe, expect, it } from 'vitest';
import type { PostResult } from '#shared/domain/attempt.ts';
import type { Endpoint } from '#shared/domain/endpoint.ts';
import { answered, asked, Delivering, dueFor, type Given, outcomeOf } from '../../../support/operations/delivering.ts';
import {
  acknowledged,
  buildDelivery,
  buildEndpoint,
  buildLogEntry,
  customerId,
  minute,
  openSealed,
  rejected,
  startOfTest,
  webhookId,
} from '../../../support/values/builders.ts';

type Receiving = NonNullable<Given['receiver']>;

const endpoint = { customerId, id: webhookId };
const log = [buildLogEntry(), buildLogEntry()];
/** Deliveries before their last attempt. */
const atLast = (count: number) =>
  Array.from({ length: count }, (_, index) => buildDelivery({ attempts: 2, log }, index));
const outcomeOfLast = (given: Given = {}, count = 1) => {
  const deliveries = atLast(count);
  return outcomeOf({ deliveries, ...given }, ...deliveries.map((delivery) => dueFor(3, delivery)));
};
const failing = (since = startOfTest - 1000) => [buildEndpoint({ failingSince: since })];
const storedIn = ({ store }: Awaited<ReturnType<typeof outcomeOf>>): Endpoint | null =>
  store.records.liveEndpoint(customerId, webhookId);

describe('deliverAttempts() and the health of the endpoint', () => {
  it('marks the endpoint once a delivery fails, before the outcome is recorded', async () => {
    const outcome = await outcomeOfLast({ receiver: () => rejected });

    expect(outcome.steps).toEqual(['claim', 'post', 'health', 'record']);
    const { endedAt } = outcome.stored ?? {};
    expect(storedIn(outcome)).toMatchObject({ status: 'active', failingSince: endedAt });
    expect(outcome.events).toContainEqual({ name: 'endpoint.failing', endpoint });
  });

  it('clears the mark once a delivery is delivered', async () => {
    const outcome = await outcomeOf({ endpoints: failing() });

    expect(outcome.steps).toEqual(['claim', 'post', 'health', 'record']);
    expect(storedIn(outcome)).toMatchObject({ failingSince: null, recoveredAt: outcome.stored?.endedAt });
    expect(outcome.events).toContainEqual({ name: 'endpoint.recovered', endpoint });
  });

  it.each<[string, Promise<Awaited<ReturnType<typeof outcomeOf>>>]>([
    ['a delivery to a healthy endpoint', outcomeOf()],
    ['a failed attempt that is followed by another one', outcomeOf({ receiver: () => rejected })],
    ['a failure at a failing endpoint', outcomeOfLast({ endpoints: failing(), receiver: () => rejected })],
    [
      'a delivery at an endpoint that fails since a later time',
      outcomeOf({ endpoints: failing(startOfTest + minute) }),
    ],
  ])('writes nothing for %s', async (_, running) => {
    const { steps } = await running;

    expect(steps.filter((step) => step === 'health')).toEqual([]);
  });

  it('writes once for a batch of failures', async () => {
    const { steps } = await outcomeOfLast({ receiver: () => rejected }, 5);

    expect(steps.filter((step) => step === 'health')).toHaveLength(1);
    expect(steps.filter((step) => step === 'record')).toHaveLength(5);
  });

  it('counts the last attempt of a worker that died', async () => {
    const claim = { fencingToken: 'dead', leaseUntil: startOfTest - 1 };
    const interrupted = buildDelivery({ attempts: 3, log, claim });
    const outcome = await outcomeOf({ deliveries: [interrupted] }, dueFor(3, interrupted));

    expect(outcome.stored?.status).toBe('failed');
    expect(storedIn(outcome)?.failingSince).toBe(outcome.stored?.endedAt);
  });

  it('records the attempt when the mark fails, and reports the failure', async () => {
    const cause = new Error('throttled');
    const strike = asked('health', () => Promise.reject(cause));
    const outcome = await outcomeOfLast({ receiver: () => rejected, strike });

    expect(outcome).toMatchObject({ results: ['done'], stored: { status: 'failed' } });
    const subject = { customerId, webhookId };
    expect(outcome.events).toContainEqual({ name: 'step.failed', step: 'health', subject, cause });
  });

  /** Another delivery ends while the receiver works, for longer than a read of the endpoint counts. */
  const meanwhile =
    (health: Pick<Endpoint, 'failingSince' | 'recoveredAt'>, result: PostResult): Receiving =>
    async ({ clock, store }) => {
      clock.pass(600);
      const before = store.records.liveEndpoint(customerId, webhookId) ?? buildEndpoint();
      await store.ports.storeHealth(endpoint, before, { ...before, ...health });
      clock.pass(600);
      return result;
    };

  it('clears the mark of a failure that ended while the delivery waited for its response', async () => {
    const failed = { failingSince: startOfTest + 600, recoveredAt: null };
    const outcome = await outcomeOf({ receiver: meanwhile(failed, acknowledged) });

    expect(storedIn(outcome)).toMatchObject({ failingSince: null, recoveredAt: startOfTest + 1200 });
  });

  it('marks an endpoint that recovered while the delivery waited for its last response', async () => {
    const recovered = { failingSince: null, recoveredAt: startOfTest + 600 };
    const outcome = await outcomeOfLast({
      endpoints: failing(),
      receiver: meanwhile(recovered, rejected),
    });

    expect(storedIn(outcome)).toMatchObject({ failingSince: startOfTest + 1200 });
  });

  it('reads the endpoint again only after an attempt of more than a second', async () => {
    const readsAfter = async (milliseconds: number) => {
      const receiver: Receiving = ({ clock }) => {
        clock.pass(milliseconds);
        return acknowledged;
      };
      return (await outcomeOf({ receiver })).reads;
    };

    expect([await readsAfter(1000), await readsAfter(1001)]).toEqual([1, 2]);
  });

  it('marks an endpoint that recovered while the answer to an earlier mark was on its way', async () => {
    let isFirst = true;
    const outcome = await outcomeOfLast(
      {
        receiver: () => rejected,
        strike: answered('health', ({ clock, store }) => {
          if (!isFirst) return;
          isFirst = false;
          store.endpoints.put(buildEndpoint({ recoveredAt: startOfTest }));
          clock.pass(1001);
        }),
      },
      2,
    );

    const ends = outcome.store.deliveries.all().map(({ endedAt }) => endedAt ?? 0);
    expect(storedIn(outcome)).toMatchObject({ failingSince: Math.max(...ends) });
  });

  it('decides again when another worker changed the health before the write', async () => {
    let isFirst = true;
    const outcome = await outcomeOfLast({
      receiver: () => rejected,
      strike: asked('health', ({ store }) => {
        if (isFirst) store.endpoints.put(buildEndpoint({ recoveredAt: startOfTest - 1 }));
        isFirst = false;
      }),
    });

    const failedAt = outcome.stored?.endedAt;
    expect(storedIn(outcome)).toMatchObject({ failingSince: failedAt, recoveredAt: startOfTest - 1 });
  });

  it('gives up when the health changes during each try', async () => {
    const outcome = await outcomeOfLast({
      receiver: () => rejected,
      strike: asked('health', ({ store, steps }) =>
        store.endpoints.put(buildEndpoint({ recoveredAt: startOfTest - steps.length })),
      ),
    });

    expect(outcome.results).toEqual(['done']);
    const cause = new Error('Cannot store the health: it changed during each of 10 tries');
    expect(outcome.events).toContainEqual(expect.objectContaining({ name: 'step.failed', step: 'health', cause }));
  });
});

describe('twenty acknowledged attempts of a slow endpoint', () => {
  const count = 20;
  const slow = buildEndpoint({
    slowSince: startOfTest - 2 * minute,
    slowPace: {
      notedAt: startOfTest - 1_000,
      isAnswering: false,
      window: { size: 1, fastestMs: Infinity, lastMs: Infinity },
    },
  });

  /** All are posted before the first is answered, which is too long after the read of the endpoint to judge by it. */
  function openWorld(given: Pick<Given, 'strike' | 'deps'>) {
    const posted = Promise.withResolvers<void>();
    const deliveries = Array.from({ length: count }, (_, number) => buildDelivery({}, number));
    const world: Delivering = new Delivering({
      ...given,
      deliveries,
      endpoints: [slow],
      receiver: async () => {
        if (world.posts.length === count) {
          world.clock.pass(2_000);
          posted.resolve();
        }
        await posted.promise;
        return acknowledged;
      },
    });
    return { world, run: () => world.deliver(...deliveries.map((delivery) => dueFor(1, delivery))) };
  }

  it('are recorded although KMS is silent, which has nothing to do with them', async () => {
    const recorded = Promise.withResolvers<void>();
    let records = 0;
    const { world, run } = openWorld({
      strike: answered('record', () => {
        records += 1;
        if (records === count) recorded.resolve();
      }),
      deps: (that) => ({
        lane: 'slow',
        decryptSecret: async (...secret) => {
          // It answers when nothing waits for it any more.
          if (that.posts.length === count) await recorded.promise;
          return openSealed(...secret);
        },
      }),
    });

    expect(new Set(await run())).toEqual(new Set(['done']));
    expect(world.store.deliveries.all().map(({ status }) => status)).toEqual(Array(count).fill('delivered'));
  });

  it('wait for one failed read of the endpoint at most, not for one each', async () => {
    const { world, run } = openWorld({
      strike: asked('read', (that) => {
        if (that.posts.length === count) throw new Error('Throttled');
      }),
      deps: () => ({ lane: 'slow' }),
    });

    expect(new Set(await run())).toEqual(new Set(['done']));
    expect(world.store.deliveries.all().map(({ status }) => status)).toEqual(Array(count).fill('delivered'));
    expect(world.events.filter((event) => event.name === 'step.failed' && event.step === 'health')).toHaveLength(1);
  });
});
