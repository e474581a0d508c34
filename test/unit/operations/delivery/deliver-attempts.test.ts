import { describe, expect, it } from 'vitest';
import { changeSettles, readingLasts } from '#shared/domain/endpoint.ts';
import { timeToClaim, timeToPost } from '#shared/domain/retry-plan.ts';
import type { DecryptSecret } from '#shared/operations/ports.ts';
import type { SentRequest } from '../../../support/http/sent-request.ts';
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
import { isAcceptedByAll } from '../../../support/values/verifiers.ts';

const firstId = deliveryIdNumber(1);
const claim = (lease: number) => ({ fencingToken: 'another worker', leaseUntil: startOfTest + lease });

describe('deliverAttempts() to a receiver that accepts', () => {
  it('claims the attempt, posts it, records it, and schedules nothing', async () => {
    const world = createDelivering();

    const results = await world.deliver([dueFor()]);

    expect(results).toEqual(['done']);
    expect(world.steps).toEqual(['claim', 'post', 'record']);
    expect(world.deliveries.get(firstId)).toMatchObject({
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
        const { attempts, claim: held } = world.deliveries.get(firstId) ?? buildDelivery();
        seen.push({ attempts, lease: held?.leaseUntil });
        return acknowledged;
      },
    });

    await world.deliver([dueFor()]);

    expect(seen).toEqual([{ attempts: 1, lease: startOfTest + 30_000 }]);
  });

  it('sends the stored bytes with the headers of a delivery', async () => {
    const body = '{"id":"evt_1","type":"run.completed","kind":"ü🎬","n":1.0}';
    const world = createDelivering({ deliveries: [buildDelivery({ body })] });

    await world.deliver([dueFor()]);

    const [post] = world.posts;
    expect(post?.url).toBe('https://hooks.example.com/events');
    expect(new TextDecoder().decode(post?.body)).toBe(body);
    expect(post?.headers).toEqual({
      'Content-Type': 'application/json',
      'User-Agent': 'Service-Webhooks/1',
      'X-Service-Event-Id': 'evt_1',
      'X-Service-Event-Type': 'run.completed',
      'X-Service-Signature': expect.stringMatching(/^t=1795176000,v1=[0-9a-f]{64}$/),
      'webhook-id': 'evt_1',
      'webhook-timestamp': '1795176000',
      'webhook-signature': expect.stringMatching(/^v1,[\w+/]{43}=$/),
    });
    expect(verifies(post, secretNamed('current'), startOfTest)).toBe(true);
  });

  it('signs with both secrets during a rotation overlap', async () => {
    const rotated = buildEndpoint({
      previousSecret: sealedSecret(secretNamed('previous')),
      previousSecretExpiresAt: startOfTest + 24 * hour,
    });
    const world = createDelivering({ endpoints: [rotated] });

    await world.deliver([dueFor()]);

    expect(
      [secretNamed('current'), secretNamed('previous')].map((secret) =>
        verifies(world.posts[0], secret, startOfTest),
      ),
    ).toEqual([true, true]);
  });

  it('ends the delivery as delivered when the third attempt succeeds', async () => {
    const world = createDelivering({ deliveries: [buildDelivery({ attempts: 2, retryAt: startOfTest })] });

    await world.deliver([dueFor(3)]);

    expect(world.deliveries.get(firstId)).toMatchObject({ status: 'delivered', attempts: 3 });
  });
});

describe('deliverAttempts() to a receiver that fails', () => {
  it.each([
    { attempt: 1, wait: 10 * minute },
    { attempt: 2, wait: 50 * minute },
  ])(
    'stores the time of the next try after attempt $attempt, then schedules that very time',
    async ({ attempt, wait }) => {
      const retryAt = attempt === 1 ? null : startOfTest;
      const world = createDelivering({
        deliveries: [buildDelivery({ attempts: attempt - 1, retryAt })],
        receiver: () => {
          world.clock.pass(9000);
          return rejected;
        },
      });
      const due = startOfTest + 9000 + wait;

      const results = await world.deliver([dueFor(attempt)]);

      expect(results).toEqual(['done']);
      expect(world.steps).toEqual(['claim', 'post', 'record', 'schedule']);
      expect(world.deliveries.get(firstId)).toMatchObject({
        status: 'pending',
        attempts: attempt,
        retryAt: due,
      });
      expect(world.scheduled).toEqual([{ due: dueFor(attempt + 1), at: due }]);
      expect(world.noted).toEqual([]);
    },
  );

  it('ends the delivery with the third failure', async () => {
    const world = createDelivering({
      deliveries: [buildDelivery({ attempts: 2, retryAt: startOfTest })],
      receiver: () => rejected,
    });

    const results = await world.deliver([dueFor(3)]);

    expect(results).toEqual(['done']);
    expect(world.deliveries.get(firstId)).toMatchObject({
      status: 'failed',
      attempts: 3,
      endedAt: startOfTest,
    });
    expect(world.scheduled).toEqual([]);
  });

  it('posts three times and never again, with the same bytes and fresh signatures', async () => {
    const world = createDelivering({ receiver: () => rejected });

    for (const attempt of [1, 2, 3, 3, 2, 1, 4]) {
      await world.deliver([dueFor(attempt)]);
      world.clock.pass(50 * minute);
    }

    expect(world.posts).toHaveLength(3);
    expect(new Set(world.posts.map(({ body }) => new TextDecoder().decode(body)))).toEqual(
      new Set([runBody]),
    );
    expect(new Set(world.posts.map(({ headers }) => headers['X-Service-Signature'])).size).toBe(3);
    expect(world.deliveries.get(firstId)).toMatchObject({ status: 'failed', attempts: 3 });
  });

  it('reports a timer that cannot be made, and completes the message: the time is stored', async () => {
    const world = createDelivering({
      receiver: () => rejected,
      deps: { scheduleAttempt: () => Promise.reject(new Error('throttled')) },
    });

    const results = await world.deliver([dueFor()]);

    expect(results).toEqual(['done']);
    expect(world.deliveries.get(firstId)).toMatchObject({ retryAt: startOfTest + 10 * minute });
    expect(world.events).toMatchObject([
      { name: 'delivery.attempted' },
      { name: 'step.failed', step: 'schedule', cause: new Error('throttled') },
    ]);
  });

  it('completes the message when the time of the attempt cannot be noted at the endpoint', async () => {
    const world = createDelivering({
      deps: {
        readAttemptTimes: async () => [],
        noteLastDelivery: () => Promise.reject(new Error('throttled')),
      },
    });
    world.clock.pass(2 * minute);

    const results = await world.deliver([dueFor()]);

    expect(results).toEqual(['done']);
    expect(world.deliveries.get(firstId)).toMatchObject({ status: 'delivered' });
    expect(world.events).toMatchObject([
      { name: 'delivery.attempted' },
      { name: 'step.failed', step: 'touch' },
    ]);
  });
});

describe('deliverAttempts() about a deleted endpoint', () => {
  it('cancels the delivery without a POST', async () => {
    const world = createDelivering({ endpoints: [] });

    const results = await world.deliver([dueFor()]);

    expect(results).toEqual(['done']);
    expect(world.steps).toEqual(['cancel']);
    expect(world.deliveries.get(firstId)).toMatchObject({
      status: 'failed',
      attempts: 0,
      cancelled: 'endpoint_deleted',
      endedAt: startOfTest,
    });
    expect(world.events).toEqual([
      {
        name: 'delivery.cancelled',
        delivery: { customerId, webhookId, id: firstId },
        reason: 'endpoint_deleted',
      },
    ]);
  });

  it('posts nothing when the endpoint is deleted while the connection is opened, and gives the attempt back', async () => {
    const world = createDelivering({
      connecting: () => {
        world.endpoints.put(buildEndpoint({ status: 'deleted' }));
        world.clock.pass(readingLasts + 1);
      },
    });

    const results = await world.deliver([dueFor()]);

    expect(results).toEqual(['done']);
    expect(world.steps).toEqual(['claim', 'release', 'cancel']);
    expect(world.deliveries.get(firstId)).toMatchObject({
      status: 'failed',
      attempts: 0,
      cancelled: 'endpoint_deleted',
      claim: null,
      lastAttemptAt: null,
    });
  });

  it('reads the endpoint once when the connection opens while the reading is valid, which ends before a deletion is answered', async () => {
    const world = createDelivering({ connecting: () => world.clock.pass(readingLasts) });

    await world.deliver([dueFor()]);

    expect(world.endpoints.reads).toEqual([webhookId]);
    expect(world.posts).toHaveLength(1);
    expect(readingLasts).toBeLessThan(changeSettles);
  });

  it('does not change a delivery that another worker attempts, and returns the message to the queue', async () => {
    const held = buildDelivery({ attempts: 1, claim: claim(10_000) });
    const world = createDelivering({ deliveries: [held], endpoints: [] });

    expect(await world.deliver([dueFor()])).toEqual(['retry']);
    expect(world.deliveries.get(firstId)).toEqual(held);
    expect(world.events).toEqual([]);
  });

  it('ends a delivery whose worker died', async () => {
    const world = createDelivering({
      deliveries: [buildDelivery({ attempts: 1, claim: claim(-1) })],
      endpoints: [],
    });

    expect(await world.deliver([dueFor()])).toEqual(['done']);
    expect(world.deliveries.get(firstId)).toMatchObject({ status: 'failed', cancelled: 'endpoint_deleted' });
  });

  it('does not change a delivery that ended', async () => {
    const ended = buildDelivery({ status: 'delivered', attempts: 1, endedAt: startOfTest });
    const world = createDelivering({ deliveries: [ended], endpoints: [] });

    expect(await world.deliver([dueFor()])).toEqual(['done']);
    expect(world.deliveries.get(firstId)).toEqual(ended);
    expect(world.events).toEqual([]);
  });

  it('posts nothing to an endpoint of another customer', async () => {
    const world = createDelivering({ endpoints: [buildEndpoint({ customerId: 'cus_other' })] });

    await world.deliver([dueFor()]);

    expect(world.posts).toEqual([]);
  });
});

describe('deliverAttempts() when a part of the service fails', () => {
  it('claims nothing while secrets cannot be decrypted, and returns the message to the queue', async () => {
    const down = new Error('key service is down');
    const world = createDelivering({ deps: { decryptSecret: () => Promise.reject(down) } });

    const results = await world.deliver([dueFor()]);

    expect(results).toEqual(['retry']);
    expect(world.steps).toEqual([]);
    expect(world.deliveries.get(firstId)).toEqual(buildDelivery());
    expect(world.events).toEqual([
      {
        name: 'step.failed',
        step: 'deliver',
        delivery: { customerId, webhookId, id: firstId },
        cause: down,
      },
    ]);
  });

  it('gives the attempt back when a secret that was rotated after the claim cannot be decrypted', async () => {
    const decryptSecret: DecryptSecret = async (sealed, context) => {
      if (sealed === sealedSecret(secretNamed('new'))) throw new Error('key service is down');
      return openSealed(sealed, context);
    };
    const world = createDelivering({
      deps: { decryptSecret },
      connecting: () => {
        world.endpoints.put(buildEndpoint({ secret: sealedSecret(secretNamed('new')) }));
        world.clock.pass(readingLasts + 1);
      },
    });

    expect(await world.deliver([dueFor()])).toEqual(['retry']);
    expect(world.steps).toEqual(['claim', 'release']);
    expect(world.deliveries.get(firstId)).toEqual(buildDelivery());
  });

  it('decrypts a secret once for a batch, before the claims', async () => {
    const asked: string[] = [];
    const second = { id: deliveryIdNumber(2) };
    const decryptSecret: DecryptSecret = async (sealed, context) => {
      asked.push(`${await openSealed(sealed, context)} after ${world.steps.length} steps`);
      return openSealed(sealed, context);
    };
    const world = createDelivering({
      deliveries: [buildDelivery(), buildDelivery(second)],
      deps: { decryptSecret },
    });

    await world.deliver([dueFor(), dueFor(1, second)]);

    expect(asked).toEqual([`${secretNamed('current')} after 0 steps`]);
  });

  it('reads the endpoint again when decrypting a secret took longer than a reading lasts', async () => {
    let opened = 0;
    const decryptSecret: DecryptSecret = async (sealed, context) => {
      opened += 1;
      if (opened === 1) world.clock.pass(readingLasts + 1);
      return openSealed(sealed, context);
    };
    const world = createDelivering({ deps: { decryptSecret } });

    expect(await world.deliver([dueFor()])).toEqual(['done']);
    expect(world.endpoints.reads).toEqual([webhookId, webhookId]);
    expect(verifies(world.posts[0], secretNamed('current'), startOfTest)).toBe(true);
  });

  it('spends no attempt on reads that fail after the claim: a healthy receiver gets its event when they work again', async () => {
    let isDown = true;
    const world = createDelivering({
      connecting: () => world.clock.pass(readingLasts + 1),
      deps: {
        readLiveEndpoint: async (customer, webhook) => {
          if (isDown && world.steps.at(-1) === 'claim') throw new Error('throttled');
          return world.ports.readLiveEndpoint(customer, webhook);
        },
      },
    });

    for (let time = 0; time < 5; time += 1) expect(await world.deliver([dueFor()])).toEqual(['retry']);
    expect(world.posts).toEqual([]);
    expect(world.deliveries.get(firstId)).toEqual(buildDelivery());
    isDown = false;
    expect(await world.deliver([dueFor()])).toEqual(['done']);

    expect(world.posts).toHaveLength(1);
    expect(world.deliveries.get(firstId)).toMatchObject({ status: 'delivered', attempts: 1 });
    expect(world.events).toContainEqual({
      name: 'attempt.released',
      delivery: expect.objectContaining({ customerId, webhookId, id: firstId, event: buildDelivery().event }),
      attempt: 1,
      reason: 'endpoint_unread',
    });
  });

  it('reads the endpoint again when its read is too old, although the clock was set back meanwhile', async () => {
    let passed = 0;
    const world = createDelivering({
      connecting: () => {
        passed = readingLasts + 1;
        world.clock.pass(-hour);
      },
      deps: { monotonic: () => passed },
    });

    expect(await world.deliver([dueFor()])).toEqual(['done']);
    expect(world.endpoints.reads).toEqual([webhookId, webhookId]);
  });

  it('waits for a read that is recent enough while the process is slow', async () => {
    let slowReads = 10;
    const world = createDelivering({
      deps: {
        readLiveEndpoint: async (customer, webhook) => {
          slowReads -= 1;
          if (slowReads >= 0) world.clock.pass(readingLasts + 1);
          return world.ports.readLiveEndpoint(customer, webhook);
        },
      },
    });

    expect(await world.deliver([dueFor()])).toEqual(['done']);
    expect(world.posts).toHaveLength(1);
  });

  it('shares one read among the attempts that are connected when the first read is too old', async () => {
    const ids = [1, 2, 3, 4, 5].map(deliveryIdNumber);
    let isSlow = true;
    const world = createDelivering({
      deliveries: ids.map((id) => buildDelivery({ id })),
      connecting: () => {
        if (isSlow) world.clock.pass(readingLasts + 1);
        isSlow = false;
      },
    });

    await world.deliver(ids.map((id) => dueFor(1, { id })));

    expect(world.posts).toHaveLength(ids.length);
    expect(world.endpoints.reads).toEqual([webhookId, webhookId]);
  });

  it('gives the attempt back when every read of the endpoint takes longer than a reading lasts', async () => {
    const world = createDelivering({
      deps: {
        readLiveEndpoint: async (customer, webhook) => {
          world.clock.pass(readingLasts + 1);
          return world.ports.readLiveEndpoint(customer, webhook);
        },
      },
    });

    expect(await world.deliver([dueFor()])).toEqual(['retry']);
    expect(world.steps).toEqual(['claim', 'release']);
    expect(world.deliveries.get(firstId)).toEqual(buildDelivery());
  });

  it('gives an attempt back when its claim was stored but the response was lost', async () => {
    const world = createDelivering({
      deps: {
        claimAttempt: async (...asked) => {
          await world.ports.claimAttempt(...asked);
          throw new Error('connection lost');
        },
      },
    });

    expect(await world.deliver([dueFor()])).toEqual(['retry']);
    expect(world.deliveries.get(firstId)).toEqual(buildDelivery());
  });

  it('lets a claim expire when it cannot be given back, and reports that', async () => {
    const down = new Error('throttled');
    const world = createDelivering({
      connecting: () => world.clock.pass(readingLasts + 1),
      deps: {
        releaseAttempt: () => Promise.reject(down),
        readLiveEndpoint: async (customer, webhook) => {
          if (world.steps.includes('claim')) throw down;
          return world.ports.readLiveEndpoint(customer, webhook);
        },
      },
    });

    expect(await world.deliver([dueFor()])).toEqual(['retry']);
    expect(world.deliveries.get(firstId)).toMatchObject({
      attempts: 1,
      claim: { fencingToken: expect.any(String) },
    });
    expect(world.events).toMatchObject([
      { name: 'step.failed', step: 'read-endpoint' },
      { name: 'step.failed', step: 'release', cause: down },
    ]);
  });

  it.each(['readLiveEndpoint', 'claimAttempt', 'recordAttempt'] as const)(
    'returns the message to the queue when %s fails',
    async (port) => {
      const world = createDelivering({ deps: { [port]: () => Promise.reject(new Error('throttled')) } });

      expect(await world.deliver([dueFor()])).toEqual(['retry']);
      expect(world.events).toMatchObject([
        { name: 'step.failed', step: 'deliver', cause: new Error('throttled') },
      ]);
    },
  );

  it('returns the message to the queue when the cancellation fails', async () => {
    const cancelDelivery = () => Promise.reject(new Error('throttled'));
    const world = createDelivering({ endpoints: [], deps: { cancelDelivery } });

    expect(await world.deliver([dueFor()])).toEqual(['retry']);
  });

  it.each([
    { left: timeToClaim, attempted: true },
    { left: timeToClaim - 1, attempted: false },
  ])('claims an attempt with $left ms left: $attempted', async ({ left, attempted }) => {
    const world = createDelivering({ timeLeft: () => left });

    expect(await world.deliver([dueFor()])).toEqual([attempted ? 'done' : 'retry']);
    expect(world.posts).toHaveLength(attempted ? 1 : 0);
    expect(world.deliveries.get(firstId)?.attempts).toBe(attempted ? 1 : 0);
  });

  it.each([
    { took: timeToClaim - timeToPost, attempted: true },
    { took: timeToClaim - timeToPost + 1, attempted: false },
  ])('posts after a claim that took $took ms: $attempted', async ({ took, attempted }) => {
    let left = timeToClaim;
    const world = createDelivering({
      timeLeft: () => left,
      deps: {
        claimAttempt: async (...asked) => {
          left -= took;
          return world.ports.claimAttempt(...asked);
        },
      },
    });

    expect(await world.deliver([dueFor()])).toEqual([attempted ? 'done' : 'retry']);
    expect(world.posts).toHaveLength(attempted ? 1 : 0);
    expect(world.deliveries.get(firstId)?.attempts).toBe(attempted ? 1 : 0);
  });

  it.each([
    { took: 10_000, attempted: true },
    { took: 10_001, attempted: false },
  ])(
    'begins an attempt $took ms after its claim, so that it is over when the lease ends: $attempted',
    async ({ took, attempted }) => {
      const world = createDelivering({
        deps: {
          claimAttempt: async (...asked) => {
            const taken = await world.ports.claimAttempt(...asked);
            world.clock.pass(took);
            return taken;
          },
        },
      });

      expect(await world.deliver([dueFor()])).toEqual([attempted ? 'done' : 'retry']);
      expect(world.posts).toHaveLength(attempted ? 1 : 0);
    },
  );

  it('reports that another worker settled the attempt meanwhile, and changes nothing', async () => {
    const settled = buildDelivery({ status: 'failed', attempts: 1, endedAt: startOfTest });
    const world = createDelivering({
      receiver: () => {
        world.deliveries.put(settled);
        return rejected;
      },
    });

    expect(await world.deliver([dueFor()])).toEqual(['done']);
    expect(world.deliveries.get(firstId)).toEqual(settled);
    expect(world.scheduled).toEqual([]);
    expect(world.noted).toEqual([]);
    expect(world.events).toMatchObject([{ name: 'delivery.superseded', attempt: 1 }]);
  });
});

function verifies(post: SentRequest | undefined, secret: string, receivedAt: number): boolean {
  return post !== undefined && isAcceptedByAll(post, secret, receivedAt);
}
