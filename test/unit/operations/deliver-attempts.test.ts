import Stripe from 'stripe';
import { describe, expect, it } from 'vitest';
import type { DeliveryMessage } from '../../../shared/contract/delivery-message.ts';
import type { PostResult } from '../../../shared/domain/attempt.ts';
import type { Delivery } from '../../../shared/domain/delivery.ts';
import type { Endpoint } from '../../../shared/domain/endpoint.ts';
import { type DeliverDeps, deliverAttempts } from '../../../shared/operations/deliver-attempts.ts';
import type { PostEvent, ScheduleAttempt } from '../../../shared/operations/ports.ts';
import {
  acknowledged,
  buildDelivery,
  buildEndpoint,
  buildLogEntry,
  customerId,
  deliveryIdNumber,
  handshakeBody,
  hour,
  minute,
  openSealed,
  otherWebhookId,
  rejected,
  runBody,
  startOfTest,
  webhookId,
} from '../../support/builders.ts';
import { memoryDeliveries } from '../../support/memory-deliveries.ts';
import { countingBytes, createClock, createJournal, createReports } from '../../support/memory-deps.ts';
import { memoryEndpoints } from '../../support/memory-endpoints.ts';

type World = {
  readonly deliveries?: readonly Delivery[];
  readonly endpoints?: readonly Endpoint[];
  /** What the receiver does; it acknowledges unless told otherwise. */
  readonly receiver?: (request: Parameters<PostEvent>[0]) => PostResult | Promise<PostResult>;
  readonly deps?: Partial<DeliverDeps>;
};

function createWorld(given: World = {}) {
  const clock = createClock(startOfTest);
  const journal = createJournal();
  const reports = createReports();
  const deliveries = memoryDeliveries(...(given.deliveries ?? [buildDelivery()]));
  const endpoints = memoryEndpoints(...(given.endpoints ?? [buildEndpoint()]));
  const posts: Parameters<PostEvent>[0][] = [];
  const scheduled: { readonly message: DeliveryMessage; readonly at: number }[] = [];
  const touched: { readonly id: string; readonly at: number }[] = [];
  const scheduleAttempt: ScheduleAttempt = async (message, at) => void scheduled.push({ message, at });
  const deps: DeliverDeps = {
    now: clock.now,
    earliness: 0,
    serviceName: 'Service',
    randomBytes: countingBytes(),
    openSecret: openSealed,
    report: reports.report,
    readLiveEndpoint: endpoints.readLiveEndpoint,
    claimAttempt: journal.note('claim', deliveries.claimAttempt),
    recordAttempt: journal.note('record', deliveries.recordAttempt),
    cancelDelivery: journal.note('cancel', deliveries.cancelDelivery),
    scheduleAttempt: journal.note('schedule', scheduleAttempt),
    touchEndpoint: async (endpoint, at) => void touched.push({ id: endpoint.id, at }),
    postEvent: journal.note('post', async (request) => {
      posts.push(request);
      return (given.receiver ?? (() => acknowledged))(request);
    }),
    ...given.deps,
  };
  return {
    clock,
    deliveries,
    endpoints,
    posts,
    scheduled,
    touched,
    steps: journal.entries,
    events: reports.events,
    deliver: deliverAttempts(deps),
  };
}

function messageFor(attempt = 1, delivery: Partial<Delivery> = {}): DeliveryMessage {
  const { webhookId: webhook, id } = buildDelivery(delivery);
  return { customer_id: customerId, webhook_id: webhook, delivery_id: id, attempt };
}

const firstId = deliveryIdNumber(1);
const claim = (lease: number) => ({ token: 'another worker', leaseUntil: startOfTest + lease });

describe('deliverAttempts() to a receiver that accepts', () => {
  it('claims before it posts, records, and schedules nothing', async () => {
    const world = createWorld();

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
    const world = createWorld({
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
    const world = createWorld({ deliveries: [buildDelivery({ body })] });

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
    const world = createWorld({ endpoints: [rotated] });

    await world.deliver([messageFor()]);

    expect(
      ['whsec_current', 'whsec_previous'].map((secret) => verifies(world.posts[0], secret, startOfTest)),
    ).toEqual([true, true]);
  });

  it('makes the last attempt count as well', async () => {
    const world = createWorld({ deliveries: [buildDelivery({ attempts: 2, retryAt: startOfTest })] });

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
      const world = createWorld({
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
    const world = createWorld({
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
    const world = createWorld({ receiver: () => rejected });

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
    const world = createWorld({
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
    const world = createWorld({ deps: { touchEndpoint: () => Promise.reject(new Error('throttled')) } });

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
    const world = createWorld({ endpoints: [] });

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
    const world = createWorld({ endpoints: [] });
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
    const world = createWorld();
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
    const world = createWorld({ deliveries: [held], endpoints: [] });

    expect(await world.deliver([messageFor()])).toEqual(['retry']);
    expect(world.deliveries.get(firstId)).toEqual(held);
    expect(world.events).toEqual([]);
  });

  it('ends a delivery whose worker is gone', async () => {
    const world = createWorld({
      deliveries: [buildDelivery({ attempts: 1, claim: claim(-1) })],
      endpoints: [],
    });

    expect(await world.deliver([messageFor()])).toEqual(['done']);
    expect(world.deliveries.get(firstId)).toMatchObject({ status: 'failed', cancelled: 'endpoint_deleted' });
  });

  it('leaves a delivery as it ended', async () => {
    const ended = buildDelivery({ status: 'delivered', attempts: 1, endedAt: startOfTest });
    const world = createWorld({ deliveries: [ended], endpoints: [] });

    expect(await world.deliver([messageFor()])).toEqual(['done']);
    expect(world.deliveries.get(firstId)).toEqual(ended);
    expect(world.events).toEqual([]);
  });

  it('takes an endpoint of another customer for none', async () => {
    const world = createWorld({ endpoints: [buildEndpoint({ customerId: 'cus_other' })] });

    await world.deliver([messageFor()]);

    expect(world.posts).toEqual([]);
  });
});

describe('deliverAttempts() when something of our own fails', () => {
  it('claims nothing while secrets cannot be opened, and comes again', async () => {
    const down = new Error('key service is down');
    const world = createWorld({ deps: { openSecret: () => Promise.reject(down) } });

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
    let opened = 0;
    const openSecret = async (sealed: string) => {
      opened += 1;
      if (opened > 1) throw new Error('key service is down');
      return openSealed(sealed);
    };
    const world = createWorld({ deps: { openSecret } });

    expect(await world.deliver([messageFor()])).toEqual(['retry']);
    expect(world.steps).toEqual(['claim']);
  });

  it.each(['readLiveEndpoint', 'claimAttempt', 'recordAttempt'] as const)(
    'comes again when %s fails',
    async (port) => {
      const world = createWorld({ deps: { [port]: () => Promise.reject(new Error('throttled')) } });

      expect(await world.deliver([messageFor()])).toEqual(['retry']);
      expect(world.events).toMatchObject([
        { name: 'step.failed', step: 'deliver', cause: new Error('throttled') },
      ]);
    },
  );

  it('comes again when the cancellation fails', async () => {
    const cancelDelivery = () => Promise.reject(new Error('throttled'));
    const world = createWorld({ endpoints: [], deps: { cancelDelivery } });

    expect(await world.deliver([messageFor()])).toEqual(['retry']);
  });

  it('does not begin a POST that might outlast the lease', async () => {
    const slow = async (sealed: string) => {
      if (world.deliveries.get(firstId)?.attempts === 1) world.clock.pass(10_001);
      return openSealed(sealed);
    };
    const world = createWorld({ deps: { openSecret: slow } });

    expect(await world.deliver([messageFor()])).toEqual(['retry']);
    expect(world.posts).toEqual([]);
  });

  it('begins a POST that is surely over when the lease ends', async () => {
    const slow = async (sealed: string) => {
      if (world.deliveries.get(firstId)?.attempts === 1) world.clock.pass(10_000);
      return openSealed(sealed);
    };
    const world = createWorld({ deps: { openSecret: slow } });

    expect(await world.deliver([messageFor()])).toEqual(['done']);
    expect(world.posts).toHaveLength(1);
  });

  it('reports that another worker settled the attempt meanwhile, and changes nothing', async () => {
    const settled = buildDelivery({ status: 'failed', attempts: 1, endedAt: startOfTest });
    const world = createWorld({
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

describe('deliverAttempts() about a message whose attempt cannot be claimed', () => {
  it('comes again for a delivery that is not there yet', async () => {
    const world = createWorld({ deliveries: [] });

    expect(await world.deliver([messageFor()])).toEqual(['retry']);
    expect(world.steps).toEqual(['claim']);
  });

  it('is done with a delivery that ended', async () => {
    const world = createWorld({ deliveries: [buildDelivery({ status: 'delivered', attempts: 1 })] });

    expect(await world.deliver([messageFor(), messageFor(2)])).toEqual(['done', 'done']);
    expect(world.posts).toEqual([]);
  });

  it('comes again while another worker attempts it', async () => {
    const held = buildDelivery({ attempts: 1, claim: claim(1) });
    const world = createWorld({ deliveries: [held] });

    expect(await world.deliver([messageFor()])).toEqual(['retry']);
    expect(world.deliveries.get(firstId)).toEqual(held);
  });

  it('comes again before its time', async () => {
    const waiting = buildDelivery({ attempts: 1, retryAt: startOfTest + 1 });
    const world = createWorld({ deliveries: [waiting] });

    expect(await world.deliver([messageFor(2)])).toEqual(['retry']);
    world.clock.pass(1);
    expect(await world.deliver([messageFor(2)])).toEqual(['done']);
    expect(world.posts).toHaveLength(1);
  });

  it('may come before its time where waits are played faster', async () => {
    const waiting = buildDelivery({ attempts: 1, retryAt: startOfTest + hour });
    const world = createWorld({ deliveries: [waiting], deps: { earliness: 24 * hour } });

    expect(await world.deliver([messageFor(2)])).toEqual(['done']);
    expect(world.posts).toHaveLength(1);
  });

  it('makes the timer again of an attempt that waits', async () => {
    const waiting = buildDelivery({
      attempts: 1,
      retryAt: startOfTest + 10 * minute,
      log: [buildLogEntry()],
    });
    const world = createWorld({ deliveries: [waiting] });

    expect(await world.deliver([messageFor()])).toEqual(['done']);
    expect(world.steps).toEqual(['claim', 'schedule']);
    expect(world.scheduled).toEqual([{ message: messageFor(2), at: startOfTest + 10 * minute }]);
    expect(world.deliveries.get(firstId)).toEqual(waiting);
  });
});

describe('deliverAttempts() about an attempt whose worker died', () => {
  it('counts it as failed without another POST, and schedules the next', async () => {
    const interrupted = buildDelivery({ attempts: 1, claim: claim(0), lastAttemptAt: startOfTest - 30_000 });
    const world = createWorld({ deliveries: [interrupted] });

    expect(await world.deliver([messageFor()])).toEqual(['done']);
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
    expect(world.scheduled).toEqual([{ message: messageFor(2), at: startOfTest + 10 * minute }]);
    expect(world.events).toMatchObject([{ name: 'delivery.interrupted', attempt: 1 }]);
  });

  it('ends the delivery when it was the third', async () => {
    const world = createWorld({ deliveries: [buildDelivery({ attempts: 3, claim: claim(-1) })] });

    expect(await world.deliver([messageFor(3)])).toEqual(['done']);
    expect(world.deliveries.get(firstId)).toMatchObject({ status: 'failed', endedAt: startOfTest });
    expect(world.scheduled).toEqual([]);
  });

  it('ends a handshake, which is never tried again', async () => {
    const handshake = buildDelivery({ attempts: 1, claim: claim(-1), body: handshakeBody });
    const world = createWorld({
      deliveries: [handshake],
      endpoints: [buildEndpoint({ status: 'failed' })],
    });

    expect(await world.deliver([messageFor()])).toEqual(['done']);
    expect(world.deliveries.get(firstId)).toMatchObject({ status: 'failed', attempts: 1 });
    expect(world.scheduled).toEqual([]);
    expect(world.posts).toEqual([]);
  });

  it('goes on with a replayed test event as with any other', async () => {
    const replay = buildDelivery({
      attempts: 1,
      claim: claim(-1),
      body: handshakeBody,
      replayOf: deliveryIdNumber(9),
    });
    const world = createWorld({ deliveries: [replay] });

    await world.deliver([messageFor()]);

    expect(world.deliveries.get(firstId)).toMatchObject({
      status: 'pending',
      retryAt: startOfTest + 10 * minute,
    });
  });

  it('takes the start of an attempt that left none for now', async () => {
    const world = createWorld({ deliveries: [buildDelivery({ attempts: 1, claim: claim(-1) })] });

    await world.deliver([messageFor()]);

    expect(world.deliveries.get(firstId)?.log).toMatchObject([{ at: startOfTest, durationMs: 0 }]);
  });

  it('leaves it to the one who was faster', async () => {
    const world = createWorld({
      deliveries: [buildDelivery({ attempts: 1, claim: claim(-1) })],
      deps: { recordAttempt: async () => false },
    });

    expect(await world.deliver([messageFor()])).toEqual(['done']);
    expect(world.scheduled).toEqual([]);
    expect(world.events).toEqual([]);
  });

  it('is attempted again at its time, and at most three times in all', async () => {
    const world = createWorld({
      deliveries: [buildDelivery({ attempts: 1, claim: claim(-1) })],
      receiver: () => rejected,
    });

    for (const attempt of [1, 2, 3]) {
      await world.deliver([messageFor(attempt)]);
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

describe('deliverAttempts() about a batch', () => {
  const second = { id: deliveryIdNumber(2) };
  const elsewhere = { id: deliveryIdNumber(3), webhookId: otherWebhookId };
  const three = [buildDelivery(), buildDelivery(second), buildDelivery(elsewhere)];
  const both = [buildEndpoint(), buildEndpoint({ id: otherWebhookId, url: 'https://other.example.com/' })];

  it('reads each endpoint once before and once after the claims', async () => {
    const world = createWorld({ deliveries: three, endpoints: both });

    await world.deliver([messageFor(), messageFor(1, second), messageFor(1, elsewhere)]);

    expect([...world.endpoints.reads].sort()).toEqual(
      [webhookId, otherWebhookId].flatMap((id) => [`${id} eventual`, `${id} strong`]),
    );
    expect(world.posts).toHaveLength(3);
  });

  it('posts side by side', async () => {
    let arrived = 0;
    let release: (result: PostResult) => void = () => {};
    const everyone = new Promise<PostResult>((resolve) => {
      release = resolve;
    });
    const world = createWorld({
      deliveries: three,
      endpoints: both,
      receiver: () => {
        arrived += 1;
        if (arrived === 3) release(acknowledged);
        return everyone;
      },
    });

    const results = await world.deliver([messageFor(), messageFor(1, second), messageFor(1, elsewhere)]);

    expect(results).toEqual(['done', 'done', 'done']);
  });

  it('does not let one failing message disturb the others, and keeps the order of results', async () => {
    const world = createWorld({
      deliveries: three,
      endpoints: both,
      receiver: ({ url }) => (url.includes('other') ? Promise.reject(new Error('broken')) : acknowledged),
    });

    const results = await world.deliver([messageFor(1, elsewhere), messageFor(), messageFor(1, second)]);

    expect(results).toEqual(['retry', 'done', 'done']);
    expect([1, 2, 3].map((number) => world.deliveries.get(deliveryIdNumber(number))?.status)).toEqual([
      'delivered',
      'delivered',
      'pending',
    ]);
  });

  it('holds back only the endpoint whose secret cannot be opened', async () => {
    const world = createWorld({
      deliveries: three,
      endpoints: both,
      deps: {
        openSecret: (sealed, context) =>
          context.webhookId === otherWebhookId ? Promise.reject(new Error('denied')) : openSealed(sealed),
      },
    });

    const results = await world.deliver([messageFor(), messageFor(1, elsewhere), messageFor(1, second)]);

    expect(results).toEqual(['done', 'retry', 'done']);
    expect(world.deliveries.get(deliveryIdNumber(3))).toMatchObject({ attempts: 0 });
  });

  it('claims an attempt once, though its message came twice', async () => {
    const world = createWorld();

    const results = await world.deliver([messageFor(), messageFor()]);

    expect(world.posts).toHaveLength(1);
    expect(results).toEqual(['done', 'retry']);
  });

  it('is done with an empty batch', async () => {
    expect(await createWorld().deliver([])).toEqual([]);
  });
});

function verifies(post: Parameters<PostEvent>[0] | undefined, secret: string, receivedAt: number): boolean {
  const body = new TextDecoder().decode(post?.body);
  const header = post?.headers['X-Service-Signature'] ?? '';
  return Stripe.webhooks.constructEvent(body, header, secret, 300, undefined, receivedAt) !== undefined;
}
