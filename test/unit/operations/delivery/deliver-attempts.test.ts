import { describe, expect, it } from 'vitest';
import { changeSettles, readingLasts } from '#shared/domain/endpoint.ts';
import { timeToClaim, timeToPost } from '#shared/domain/retry-plan.ts';
import { signatureHeader, standardHeaders } from '#shared/domain/signature.ts';
import type { DecryptSecret, ReadLiveEndpoint } from '#shared/operations/ports.ts';
import { createDelivering, dueFor } from '../../../support/operations/delivering.ts';
import {
  acknowledged,
  buildDelivery,
  buildEndpoint,
  customerId,
  deliveryIdNumber,
  eventId,
  hour,
  minute,
  openSealed,
  rejected,
  runBody,
  sealedSecret,
  startOfTest,
  webhookId,
} from '../../../support/values/builders.ts';
import { secretNamed } from '../../../support/values/secret-named.ts';

type World = ReturnType<typeof createDelivering>;

const firstId = deliveryIdNumber(1);
const key = { customerId, webhookId, id: firstId };
const claim = (lease: number) => ({ fencingToken: 'another worker', leaseUntil: startOfTest + lease });
const throttled = new Error('throttled');
const fails = () => Promise.reject(throttled);
const cancelled = { status: 'failed', cancelled: 'endpoint_deleted' } as const;
const tooLong = readingLasts + 1;

describe('deliverAttempts() to a receiver that accepts', () => {
  it('claims the attempt, posts it, records it, and schedules nothing', async () => {
    const world = createDelivering();

    expect(await world.deliver([dueFor()])).toEqual(['done']);
    expect(world.steps).toEqual(['claim', 'post', 'record']);
    expect(world.stored()).toMatchObject({
      status: 'delivered',
      attempts: 1,
      claim: null,
      endedAt: startOfTest,
      lastAttemptAt: startOfTest,
      log: [{ outcome: 'acknowledged', responseStatus: 200 }],
    });
    expect(world.noted).toEqual([]);
    expect(world.events).toMatchObject([
      { name: 'delivery.attempted', attempt: 1, delivery: { event: { id: eventId } } },
    ]);
  });

  it('has counted the attempt when the POST begins', async () => {
    const seen: unknown[] = [];
    const world = createDelivering({
      receiver: () => {
        seen.push({ attempts: world.stored()?.attempts, lease: world.stored()?.claim?.leaseUntil });
        return acknowledged;
      },
    });

    await world.deliver([dueFor()]);

    expect(seen).toEqual([{ attempts: 1, lease: startOfTest + 30_000 }]);
  });

  it.each([
    { standardWebhooks: true, others: 'with the headers of Standard Webhooks' },
    { standardWebhooks: false, others: 'with no other headers' },
  ])(
    'sends the stored bytes, signed with both secrets during a rotation overlap, $others',
    async ({ standardWebhooks }) => {
      const body = '{"id":"evt_1","type":"run.completed","kind":"ü🎬","n":1.0}';
      const bytes = new TextEncoder().encode(body);
      const secrets = [secretNamed('current'), secretNamed('previous')];
      const rotated = buildEndpoint({
        previousSecret: sealedSecret(secretNamed('previous')),
        previousSecretExpiresAt: startOfTest + 24 * hour,
      });
      const world = createDelivering({
        deliveries: [buildDelivery({ body })],
        endpoints: [rotated],
        deps: { standardWebhooks },
      });

      await world.deliver([dueFor()]);

      const [post] = world.posts;
      expect(post?.url).toBe('https://hooks.example.com/events');
      expect(post?.body).toEqual(bytes);
      expect(post?.headers).toEqual({
        'Content-Type': 'application/json',
        'User-Agent': 'Service-Webhooks/1',
        'X-Service-Event-Id': 'evt_1',
        'X-Service-Event-Type': 'run.completed',
        'X-Service-Signature': signatureHeader(secrets, bytes, startOfTest),
        ...(standardWebhooks && standardHeaders(secrets, 'evt_1', bytes, startOfTest)),
      });
    },
  );
});

describe('deliverAttempts() to a receiver that fails', () => {
  it.each([
    { attempt: 1, wait: 10 * minute },
    { attempt: 2, wait: 50 * minute },
  ])(
    'stores the time of the next try after attempt $attempt, then schedules that very time',
    async ({ attempt, wait }) => {
      const waiting = buildDelivery({ attempts: attempt - 1, retryAt: attempt === 1 ? null : startOfTest });
      const world = createDelivering({
        deliveries: [waiting],
        receiver: () => {
          world.clock.pass(9000);
          return rejected;
        },
      });
      const due = startOfTest + 9000 + wait;

      expect(await world.deliver([dueFor(attempt)])).toEqual(['done']);
      expect(world.steps).toEqual(['claim', 'post', 'record', 'schedule']);
      expect(world.stored()).toMatchObject({ status: 'pending', attempts: attempt, retryAt: due });
      expect(world.scheduled).toEqual([{ due: dueFor(attempt + 1), at: due }]);
      expect(world.noted).toEqual([]);
    },
  );

  it('posts three times and never again, with the same bytes and fresh signatures', async () => {
    const world = createDelivering({ receiver: () => rejected });

    for (const attempt of [1, 2, 3, 3, 2, 1, 4]) {
      await world.deliver([dueFor(attempt)]);
      world.clock.pass(50 * minute);
    }

    expect(world.posts.map(({ body }) => new TextDecoder().decode(body))).toEqual([
      runBody,
      runBody,
      runBody,
    ]);
    expect(new Set(world.posts.map(({ headers }) => headers['X-Service-Signature'])).size).toBe(3);
    expect(world.stored()).toMatchObject({
      status: 'failed',
      attempts: 3,
      endedAt: startOfTest + 100 * minute,
    });
    expect(world.scheduled).toHaveLength(2);
  });

  it('reports a timer that cannot be made, and completes the message: the time is stored', async () => {
    const world = createDelivering({ receiver: () => rejected, deps: { scheduleAttempt: fails } });

    expect(await world.deliver([dueFor()])).toEqual(['done']);
    expect(world.stored()).toMatchObject({ retryAt: startOfTest + 10 * minute });
    expect(world.events).toMatchObject([
      { name: 'delivery.attempted' },
      { name: 'step.failed', step: 'schedule', cause: throttled },
    ]);
  });

  it('completes the message when the time of the attempt cannot be noted at the endpoint', async () => {
    const world = createDelivering({ deps: { readAttemptTimes: async () => [], noteLastDelivery: fails } });
    world.clock.pass(2 * minute);

    expect(await world.deliver([dueFor()])).toEqual(['done']);
    expect(world.stored()).toMatchObject({ status: 'delivered' });
    expect(world.events).toMatchObject([
      { name: 'delivery.attempted' },
      { name: 'step.failed', step: 'touch' },
    ]);
  });

  it('reports that another worker settled the attempt meanwhile, and changes nothing', async () => {
    const settled = buildDelivery({ status: 'failed', attempts: 1, endedAt: startOfTest });
    const world = createDelivering({
      receiver: () => {
        world.deliveries.put(settled);
        return rejected;
      },
    });

    expect(await world.deliver([dueFor()])).toEqual(['done']);
    expect(world.stored()).toEqual(settled);
    expect([...world.scheduled, ...world.noted]).toEqual([]);
    expect(world.events).toMatchObject([{ name: 'delivery.superseded', attempt: 1 }]);
  });
});

describe('deliverAttempts() about a deleted endpoint', () => {
  it('cancels the delivery without a POST', async () => {
    const world = createDelivering({ endpoints: [] });

    expect(await world.deliver([dueFor()])).toEqual(['done']);
    expect(world.steps).toEqual(['cancel']);
    expect(world.stored()).toMatchObject({ ...cancelled, attempts: 0, endedAt: startOfTest });
    expect(world.events).toEqual([{ name: 'delivery.cancelled', delivery: key, reason: 'endpoint_deleted' }]);
  });

  it('posts nothing when the endpoint is deleted while the connection is opened, and gives the attempt back', async () => {
    const world: World = createDelivering({
      connecting: () => {
        world.endpoints.put(buildEndpoint({ status: 'deleted' }));
        world.clock.pass(tooLong);
      },
    });

    expect(await world.deliver([dueFor()])).toEqual(['done']);
    expect(world.steps).toEqual(['claim', 'release', 'cancel']);
    expect(world.stored()).toMatchObject({ ...cancelled, attempts: 0, claim: null, lastAttemptAt: null });
  });

  it('reads the endpoint once when the connection opens while the reading is valid, which ends before a deletion is answered', async () => {
    const world = createDelivering({ connecting: readingLasts });

    await world.deliver([dueFor()]);

    expect(world.endpoints.reads).toEqual([webhookId]);
    expect(world.posts).toHaveLength(1);
    expect(readingLasts).toBeLessThan(changeSettles);
  });

  it('ends a delivery whose worker died', async () => {
    const died = buildDelivery({ attempts: 1, claim: claim(-1) });
    const world = createDelivering({ deliveries: [died], endpoints: [] });

    expect(await world.deliver([dueFor()])).toEqual(['done']);
    expect(world.stored()).toMatchObject(cancelled);
  });

  it.each([
    [
      'returns the message of',
      'that another worker attempts',
      { attempts: 1, claim: claim(10_000) },
      'retry',
    ],
    [
      'completes the message of',
      'that ended',
      { status: 'delivered', attempts: 1, endedAt: startOfTest },
      'done',
    ],
  ] as const)('%s a delivery %s, and does not change it', async (_, __, given, result) => {
    const delivery = buildDelivery(given);
    const world = createDelivering({ deliveries: [delivery], endpoints: [] });

    expect(await world.deliver([dueFor()])).toEqual([result]);
    expect(world.stored()).toEqual(delivery);
    expect(world.events).toEqual([]);
  });
});

describe('deliverAttempts() when a part of the service fails', () => {
  /** Reads that fail once the attempt is claimed, while `isDown` says so. */
  const readsThatFail =
    (world: () => World, isDown = () => true): ReadLiveEndpoint =>
    async (...endpoint) => {
      if (isDown() && world().steps.at(-1) === 'claim') throw throttled;
      return world().ports.readLiveEndpoint(...endpoint);
    };
  /** Reads of which the first ones take too long. */
  const slowReads =
    (world: () => World, count: number): ReadLiveEndpoint =>
    async (...endpoint) => {
      if (world().endpoints.reads.length < count) world().clock.pass(tooLong);
      return world().ports.readLiveEndpoint(...endpoint);
    };

  it.each(['readLiveEndpoint', 'claimAttempt', 'recordAttempt', 'cancelDelivery'] as const)(
    'returns the message to the queue when %s fails, and reports it',
    async (port) => {
      const endpoints = port === 'cancelDelivery' ? [] : [buildEndpoint()];
      const world = createDelivering({ endpoints, deps: { [port]: fails } });

      expect(await world.deliver([dueFor()])).toEqual(['retry']);
      expect(world.events).toMatchObject([{ name: 'step.failed', step: 'deliver', cause: throttled }]);
    },
  );

  it('claims nothing while secrets cannot be decrypted, and returns the message to the queue', async () => {
    const world = createDelivering({ deps: { decryptSecret: fails } });

    expect(await world.deliver([dueFor()])).toEqual(['retry']);
    expect(world.steps).toEqual([]);
    expect(world.stored()).toEqual(buildDelivery());
    expect(world.events).toEqual([{ name: 'step.failed', step: 'deliver', delivery: key, cause: throttled }]);
  });

  it('reads the endpoint again when decrypting a secret took longer than a reading lasts', async () => {
    const decryptSecret: DecryptSecret = async (...sealed) => {
      if (world.endpoints.reads.length === 1) world.clock.pass(tooLong);
      return openSealed(...sealed);
    };
    const world: World = createDelivering({ deps: { decryptSecret } });

    expect(await world.deliver([dueFor()])).toEqual(['done']);
    expect(world.endpoints.reads).toEqual([webhookId, webhookId]);
  });

  it('reads the endpoint again when its read is too old, although the clock was set back meanwhile', async () => {
    let passed = 0;
    const world: World = createDelivering({
      connecting: () => {
        passed = tooLong;
        world.clock.pass(-hour);
      },
      deps: { monotonic: () => passed },
    });

    expect(await world.deliver([dueFor()])).toEqual(['done']);
    expect(world.endpoints.reads).toEqual([webhookId, webhookId]);
  });

  it('waits for a read that is recent enough while the process is slow', async () => {
    const world: World = createDelivering({ deps: { readLiveEndpoint: slowReads(() => world, 10) } });

    expect(await world.deliver([dueFor()])).toEqual(['done']);
    expect(world.posts).toHaveLength(1);
  });

  it('gives the attempt back when every read of the endpoint takes longer than a reading lasts', async () => {
    const world: World = createDelivering({ deps: { readLiveEndpoint: slowReads(() => world, 1000) } });

    expect(await world.deliver([dueFor()])).toEqual(['retry']);
    expect(world.steps).toEqual(['claim', 'release']);
    expect(world.stored()).toEqual(buildDelivery());
  });

  it('shares one read among the attempts that are connected when the first read is too old', async () => {
    const ids = [1, 2, 3, 4, 5].map(deliveryIdNumber);
    let takes = tooLong;
    const world: World = createDelivering({
      deliveries: ids.map((id) => buildDelivery({ id })),
      connecting: () => {
        world.clock.pass(takes);
        takes = 0;
      },
    });

    await world.deliver(ids.map((id) => dueFor(1, { id })));

    expect(world.posts).toHaveLength(ids.length);
    expect(world.endpoints.reads).toEqual([webhookId, webhookId]);
  });

  it('spends no attempt on reads that fail after the claim: a healthy receiver gets its event when they work again', async () => {
    let isDown = true;
    const readLiveEndpoint = readsThatFail(
      () => world,
      () => isDown,
    );
    const world: World = createDelivering({ connecting: tooLong, deps: { readLiveEndpoint } });

    for (let time = 0; time < 5; time += 1) expect(await world.deliver([dueFor()])).toEqual(['retry']);
    expect(world.posts).toEqual([]);
    expect(world.stored()).toEqual(buildDelivery());
    isDown = false;
    expect(await world.deliver([dueFor()])).toEqual(['done']);

    expect(world.posts).toHaveLength(1);
    expect(world.stored()).toMatchObject({ status: 'delivered', attempts: 1 });
    expect(world.events).toContainEqual({
      name: 'attempt.released',
      delivery: expect.objectContaining({ ...key, event: buildDelivery().event }),
      attempt: 1,
      reason: 'endpoint_unread',
    });
  });

  it('gives an attempt back when its claim was stored but the response was lost', async () => {
    const world: World = createDelivering({
      deps: {
        claimAttempt: async (...asked) => {
          await world.ports.claimAttempt(...asked);
          throw new Error('connection lost');
        },
      },
    });

    expect(await world.deliver([dueFor()])).toEqual(['retry']);
    expect(world.stored()).toEqual(buildDelivery());
  });

  it('lets a claim expire when it cannot be given back, and reports that', async () => {
    const readLiveEndpoint = readsThatFail(() => world);
    const world: World = createDelivering({
      connecting: tooLong,
      deps: { releaseAttempt: fails, readLiveEndpoint },
    });

    expect(await world.deliver([dueFor()])).toEqual(['retry']);
    expect(world.stored()).toMatchObject({ attempts: 1, claim: { fencingToken: expect.any(String) } });
    expect(world.events).toMatchObject([
      { name: 'step.failed', step: 'read-endpoint' },
      { name: 'step.failed', step: 'release', cause: throttled },
    ]);
  });
});

describe('deliverAttempts() with little time', () => {
  async function expectAttempted(world: World, attempted: boolean): Promise<void> {
    expect(await world.deliver([dueFor()])).toEqual([attempted ? 'done' : 'retry']);
    expect(world.posts).toHaveLength(attempted ? 1 : 0);
    expect(world.stored()?.attempts).toBe(attempted ? 1 : 0);
  }

  it.each([
    { left: timeToClaim, attempted: true },
    { left: timeToClaim - 1, attempted: false },
  ])('claims an attempt with $left ms left: $attempted', async ({ left, attempted }) => {
    await expectAttempted(createDelivering({ timeLeft: () => left }), attempted);
  });

  it.each([
    { took: timeToClaim - timeToPost, attempted: true },
    { took: timeToClaim - timeToPost + 1, attempted: false },
  ])('posts after a claim that took $took ms: $attempted', async ({ took, attempted }) => {
    const world: World = createDelivering({
      timeLeft: () => timeToClaim - (world.steps.includes('claim') ? took : 0),
    });

    await expectAttempted(world, attempted);
  });

  it.each([
    { took: 10_000, attempted: true },
    { took: 10_001, attempted: false },
  ])(
    'begins an attempt $took ms after its claim, so that it is over when the lease ends: $attempted',
    async ({ took, attempted }) => {
      const world: World = createDelivering({
        deps: {
          claimAttempt: async (...asked) => {
            const taken = await world.ports.claimAttempt(...asked);
            world.clock.pass(took);
            return taken;
          },
        },
      });

      await expectAttempted(world, attempted);
    },
  );
});
