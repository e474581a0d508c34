import Stripe from 'stripe';
import { describe, expect, it } from 'vitest';
import type { PostEvent } from '../../../shared/operations/ports.ts';
import {
  acknowledged,
  buildDelivery,
  buildEndpoint,
  customerId,
  deliveryIdNumber,
  hour,
  minute,
  openSealed,
  rejected,
  runBody,
  startOfTest,
  webhookId,
} from '../../support/builders.ts';
import { createDelivering, messageFor } from '../../support/memory-delivering.ts';
import { memoryEndpoints } from '../../support/memory-endpoints.ts';

const firstId = deliveryIdNumber(1);
const claim = (lease: number) => ({ token: 'another worker', leaseUntil: startOfTest + lease });

describe('deliverAttempts() to a receiver that accepts', () => {
  it('claims before it posts, records, and schedules nothing', async () => {
    const world = createDelivering();

    const results = await world.deliver([messageFor()]);

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
    expect(world.touched).toEqual([{ id: webhookId, at: startOfTest }]);
    expect(world.events).toMatchObject([
      { name: 'delivery.attempted', attempt: 1, eventId: 'evt_01KDVDRN00EEEEEEEEEEEEEEEE' },
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

    await world.deliver([messageFor()]);

    expect(seen).toEqual([{ attempts: 1, lease: startOfTest + 30_000 }]);
  });

  it('sends the stored bytes with the headers of a delivery', async () => {
    const body = '{"id":"evt_1","type":"run.completed","kind":"ü🎬","n":1.0}';
    const world = createDelivering({ deliveries: [buildDelivery({ body })] });

    await world.deliver([messageFor()]);

    const [post] = world.posts;
    expect(post?.url).toBe('https://hooks.example.com/in');
    expect(new TextDecoder().decode(post?.body)).toBe(body);
    expect(post?.headers).toEqual({
      'Content-Type': 'application/json',
      'User-Agent': 'Service-Webhooks/1',
      'X-Service-Event-Id': 'evt_1',
      'X-Service-Event-Type': 'run.completed',
      'X-Service-Signature': expect.stringMatching(/^t=1767225600,v1=[0-9a-f]{64}$/),
    });
    expect(verifies(post, 'whsec_current', startOfTest)).toBe(true);
  });

  it('signs with both secrets during a rotation overlap', async () => {
    const rotated = buildEndpoint({
      previousSecret: 'sealed:whsec_previous',
      previousSecretExpiresAt: startOfTest + 24 * hour,
    });
    const world = createDelivering({ endpoints: [rotated] });

    await world.deliver([messageFor()]);

    expect(
      ['whsec_current', 'whsec_previous'].map((secret) => verifies(world.posts[0], secret, startOfTest)),
    ).toEqual([true, true]);
  });

  it('makes the last attempt count as well', async () => {
    const world = createDelivering({ deliveries: [buildDelivery({ attempts: 2, retryAt: startOfTest })] });

    await world.deliver([messageFor(3)]);

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

      const results = await world.deliver([messageFor(attempt)]);

      expect(results).toEqual(['done']);
      expect(world.steps).toEqual(['claim', 'post', 'record', 'schedule']);
      expect(world.deliveries.get(firstId)).toMatchObject({
        status: 'pending',
        attempts: attempt,
        retryAt: due,
      });
      expect(world.scheduled).toEqual([{ message: messageFor(attempt + 1), at: due }]);
      expect(world.touched).toEqual([{ id: webhookId, at: startOfTest }]);
    },
  );

  it('ends the delivery with the third failure', async () => {
    const world = createDelivering({
      deliveries: [buildDelivery({ attempts: 2, retryAt: startOfTest })],
      receiver: () => rejected,
    });

    const results = await world.deliver([messageFor(3)]);

    expect(results).toEqual(['done']);
    expect(world.deliveries.get(firstId)).toMatchObject({
      status: 'failed',
      attempts: 3,
      endedAt: startOfTest,
    });
    expect(world.scheduled).toEqual([]);
  });

  it('tries three times and never again, with the same bytes and fresh signatures', async () => {
    const world = createDelivering({ receiver: () => rejected });

    for (const attempt of [1, 2, 3, 3, 2, 1, 4]) {
      await world.deliver([messageFor(attempt)]);
      world.clock.pass(50 * minute);
    }

    expect(world.posts).toHaveLength(3);
    expect(new Set(world.posts.map(({ body }) => new TextDecoder().decode(body)))).toEqual(
      new Set([runBody]),
    );
    expect(new Set(world.posts.map(({ headers }) => headers['X-Service-Signature'])).size).toBe(3);
    expect(world.deliveries.get(firstId)).toMatchObject({ status: 'failed', attempts: 3 });
  });

  it('reports a timer that cannot be made, and is done: the time is stored', async () => {
    const world = createDelivering({
      receiver: () => rejected,
      deps: { scheduleAttempt: () => Promise.reject(new Error('throttled')) },
    });

    const results = await world.deliver([messageFor()]);

    expect(results).toEqual(['done']);
    expect(world.deliveries.get(firstId)).toMatchObject({ retryAt: startOfTest + 10 * minute });
    expect(world.events).toMatchObject([
      { name: 'delivery.attempted' },
      { name: 'step.failed', step: 'schedule', cause: new Error('throttled') },
    ]);
  });

  it('is done also when the time of the attempt cannot be noted at the endpoint', async () => {
    const world = createDelivering({ deps: { touchEndpoint: () => Promise.reject(new Error('throttled')) } });

    const results = await world.deliver([messageFor()]);

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

    const results = await world.deliver([messageFor()]);

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

  it('does not believe an eventual read that the endpoint is gone', async () => {
    const world = createDelivering({ endpoints: [] });
    world.endpoints.freezeEventualReads();
    world.endpoints.put(buildEndpoint());

    await world.deliver([messageFor()]);

    expect(world.endpoints.reads).toEqual([
      `${webhookId} eventual`,
      `${webhookId} strong`,
      `${webhookId} strong`,
    ]);
    expect(world.deliveries.get(firstId)).toMatchObject({ status: 'delivered' });
  });

  it('sees a deletion that an eventual read does not, after the claim, and posts nothing', async () => {
    const world = createDelivering();
    world.endpoints.freezeEventualReads();
    world.endpoints.put(buildEndpoint({ status: 'deleted' }));

    const results = await world.deliver([messageFor()]);

    expect(results).toEqual(['done']);
    expect(world.steps).toEqual(['claim', 'cancel']);
    expect(world.deliveries.get(firstId)).toMatchObject({
      status: 'failed',
      cancelled: 'endpoint_deleted',
      claim: null,
    });
  });

  it('leaves a delivery alone that another worker attempts, and comes again', async () => {
    const held = buildDelivery({ attempts: 1, claim: claim(10_000) });
    const world = createDelivering({ deliveries: [held], endpoints: [] });

    expect(await world.deliver([messageFor()])).toEqual(['retry']);
    expect(world.deliveries.get(firstId)).toEqual(held);
    expect(world.events).toEqual([]);
  });

  it('ends a delivery whose worker is gone', async () => {
    const world = createDelivering({
      deliveries: [buildDelivery({ attempts: 1, claim: claim(-1) })],
      endpoints: [],
    });

    expect(await world.deliver([messageFor()])).toEqual(['done']);
    expect(world.deliveries.get(firstId)).toMatchObject({ status: 'failed', cancelled: 'endpoint_deleted' });
  });

  it('leaves a delivery as it ended', async () => {
    const ended = buildDelivery({ status: 'delivered', attempts: 1, endedAt: startOfTest });
    const world = createDelivering({ deliveries: [ended], endpoints: [] });

    expect(await world.deliver([messageFor()])).toEqual(['done']);
    expect(world.deliveries.get(firstId)).toEqual(ended);
    expect(world.events).toEqual([]);
  });

  it('takes an endpoint of another customer for none', async () => {
    const world = createDelivering({ endpoints: [buildEndpoint({ customerId: 'cus_other' })] });

    await world.deliver([messageFor()]);

    expect(world.posts).toEqual([]);
  });
});

/** An endpoint whose second read, after the claim, takes so many milliseconds. */
function createSlowRead(milliseconds: number) {
  const endpoints = memoryEndpoints(buildEndpoint());
  const readLiveEndpoint: typeof endpoints.readLiveEndpoint = async (...asked) => {
    if (world.steps.includes('claim')) world.clock.pass(milliseconds);
    return endpoints.readLiveEndpoint(...asked);
  };
  const world = createDelivering({ deps: { readLiveEndpoint } });
  return world;
}

describe('deliverAttempts() when something of our own fails', () => {
  it('claims nothing while secrets cannot be opened, and comes again', async () => {
    const down = new Error('key service is down');
    const world = createDelivering({ deps: { openSecret: () => Promise.reject(down) } });

    const results = await world.deliver([messageFor()]);

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

  it('posts nothing when secrets cannot be opened any more after the claim', async () => {
    const openSecret = async (sealed: string) => {
      if (sealed === 'sealed:whsec_new') throw new Error('key service is down');
      return openSealed(sealed);
    };
    const world = createDelivering({ deps: { openSecret } });
    world.endpoints.freezeEventualReads();
    world.endpoints.put(buildEndpoint({ secret: 'sealed:whsec_new' }));

    expect(await world.deliver([messageFor()])).toEqual(['retry']);
    expect(world.steps).toEqual(['claim']);
  });

  it('asks the key service once for a batch, before the claims', async () => {
    const asked: string[] = [];
    const second = { id: deliveryIdNumber(2) };
    const openSecret = async (sealed: string) => {
      asked.push(`${sealed} after ${world.steps.length} steps`);
      return openSealed(sealed);
    };
    const world = createDelivering({
      deliveries: [buildDelivery(), buildDelivery(second)],
      deps: { openSecret },
    });

    await world.deliver([messageFor(), messageFor(1, second)]);

    expect(asked).toEqual(['sealed:whsec_current after 0 steps']);
  });

  it('posts nothing when the endpoint is deleted while a secret that is new since the claim is opened', async () => {
    const rotated = buildEndpoint({ secret: 'sealed:whsec_new' });
    const openSecret = async (sealed: string) => {
      if (sealed === rotated.secret) world.endpoints.put({ ...rotated, status: 'deleted' });
      return openSealed(sealed);
    };
    const world = createDelivering({ deps: { openSecret } });
    world.endpoints.freezeEventualReads();
    world.endpoints.put(rotated);

    expect(await world.deliver([messageFor()])).toEqual(['done']);

    expect(world.posts).toEqual([]);
    expect(world.deliveries.get(firstId)).toMatchObject({ status: 'failed', cancelled: 'endpoint_deleted' });
  });

  it.each(['readLiveEndpoint', 'claimAttempt', 'recordAttempt'] as const)(
    'comes again when %s fails',
    async (port) => {
      const world = createDelivering({ deps: { [port]: () => Promise.reject(new Error('throttled')) } });

      expect(await world.deliver([messageFor()])).toEqual(['retry']);
      expect(world.events).toMatchObject([
        { name: 'step.failed', step: 'deliver', cause: new Error('throttled') },
      ]);
    },
  );

  it('comes again when the cancellation fails', async () => {
    const cancelDelivery = () => Promise.reject(new Error('throttled'));
    const world = createDelivering({ endpoints: [], deps: { cancelDelivery } });

    expect(await world.deliver([messageFor()])).toEqual(['retry']);
  });

  it('does not begin a POST that might outlast the lease', async () => {
    const world = createSlowRead(10_001);

    expect(await world.deliver([messageFor()])).toEqual(['retry']);
    expect(world.posts).toEqual([]);
  });

  it('begins a POST that is surely over when the lease ends', async () => {
    const world = createSlowRead(10_000);

    expect(await world.deliver([messageFor()])).toEqual(['done']);
    expect(world.posts).toHaveLength(1);
  });

  it('reports that another worker settled the attempt meanwhile, and changes nothing', async () => {
    const settled = buildDelivery({ status: 'failed', attempts: 1, endedAt: startOfTest });
    const world = createDelivering({
      receiver: () => {
        world.deliveries.put(settled);
        return rejected;
      },
    });

    expect(await world.deliver([messageFor()])).toEqual(['done']);
    expect(world.deliveries.get(firstId)).toEqual(settled);
    expect(world.scheduled).toEqual([]);
    expect(world.touched).toEqual([]);
    expect(world.events).toMatchObject([{ name: 'delivery.superseded', attempt: 1 }]);
  });
});

function verifies(post: Parameters<PostEvent>[0] | undefined, secret: string, receivedAt: number): boolean {
  const body = new TextDecoder().decode(post?.body);
  const header = post?.headers['X-Service-Signature'] ?? '';
  return Stripe.webhooks.constructEvent(body, header, secret, 300, undefined, receivedAt) !== undefined;
}
