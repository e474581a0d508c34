import { describe, expect, it } from 'vitest';
import type { PostResult } from '#shared/domain/attempt.ts';
import type { Delivery } from '#shared/domain/delivery.ts';
import { type Endpoint, readingLasts } from '#shared/domain/endpoint.ts';
import { idTime, isOwnId } from '#shared/domain/ids.ts';
import { registerWebhook } from '#shared/operations/customer/register-webhook.ts';
import { postTo, type SentRequest } from '../../../support/http/sent-request.ts';
import { memoryStore } from '../../../support/memory/memory-store.ts';
import { sealed } from '../../../support/memory/secret-cipher.ts';
import {
  countingBytes,
  createClock,
  createJournal,
  createReports,
  unexpected,
} from '../../../support/operations/deps.ts';
import {
  acknowledged,
  buildEndpoint,
  customerId,
  rejected,
  startOfTest,
} from '../../../support/values/builders.ts';
import { isAcceptedByAll } from '../../../support/values/verifiers.ts';

type Deps = Parameters<typeof registerWebhook>[0];
type World = ReturnType<typeof createWorld>;

const given = { url: 'https://Hooks.Example.com', description: 'Billing' };

function createWorld(
  options: {
    readonly endpoints?: readonly Endpoint[];
    readonly receiver?: () => PostResult | Promise<PostResult>;
    readonly connecting?: () => void;
    readonly deps?: Partial<Deps>;
  } = {},
) {
  const clock = createClock(startOfTest);
  const { entries: steps, note } = createJournal();
  const { report, events } = createReports();
  const { ports, deliveries, endpoints } = memoryStore({ endpoints: options.endpoints ?? [] });
  const reserved: Endpoint[] = [];
  const posts: SentRequest[] = [];
  const register = registerWebhook({
    ...ports,
    now: clock.now,
    monotonic: clock.now,
    randomBytes: countingBytes(),
    serviceName: 'Service',
    standardWebhooks: true,
    report,
    checkUrl: note('check', async (text) => ({ ok: true as const, url: `${text.toLowerCase()}/` })),
    encryptSecret: note('seal', async (secret, context) => sealed(secret, context)),
    reserveEndpoint: note('reserve', (endpoint, handshake) => {
      reserved.push(endpoint);
      return ports.reserveEndpoint(endpoint, handshake);
    }),
    postEvent: postTo(
      note('post', async (request: SentRequest) => {
        posts.push(request);
        return (options.receiver ?? (() => acknowledged))();
      }),
      options.connecting,
    ),
    recordAttempt: note('record', ports.recordAttempt),
    activateEndpoint: note('activate', ports.activateEndpoint),
    ...options.deps,
  });
  return {
    clock,
    ports,
    deliveries,
    reserved,
    posts,
    steps,
    events,
    register: () => register(customerId, given),
    deleteReserved: () => {
      for (const endpoint of reserved) endpoints.put({ ...endpoint, status: 'deleted' });
    },
  };
}

describe('registerWebhook() with an endpoint that acknowledges the handshake', () => {
  it('stores the endpoint as failed, sends the handshake, and activates it, in this order', async () => {
    const world = createWorld();

    const { endpoint, handshake } = await world.register();

    expect(world.steps).toEqual(['check', 'seal', 'reserve', 'post', 'record', 'activate']);
    expect(world.reserved).toMatchObject([{ status: 'failed', activatedAt: null }]);
    expect(endpoint).toEqual({
      id: endpoint.id,
      customerId,
      url: 'https://hooks.example.com/',
      description: 'Billing',
      status: 'active',
      secret: expect.stringContaining(`"${endpoint.id}","whsec_`),
      secretPrefix: expect.stringMatching(/^whsec_.{6}$/),
      previousSecret: null,
      previousSecretExpiresAt: null,
      createdAt: startOfTest,
      activatedAt: startOfTest,
      lastDeliveryAt: startOfTest,
      deliveryPartitions: 1,
      slowSince: null,
    });
    expect(isOwnId('webhook', endpoint.id)).toBe(true);
    expect(idTime(endpoint.id)).toBe(startOfTest);
    expect(await world.ports.readLiveEndpoint(customerId, endpoint.id)).toEqual(endpoint);
    expect(handshake).toMatchObject({
      customerId,
      webhookId: endpoint.id,
      status: 'delivered',
      attempts: 1,
      claim: null,
      endedAt: startOfTest,
      lastAttemptAt: startOfTest,
      log: [{ outcome: 'acknowledged' }],
    });
    expect(world.deliveries.get(handshake.id)).toEqual(handshake);
  });

  it('returns the secret that signed the handshake, and stores it only encrypted', async () => {
    const world = createWorld();

    const { secret, endpoint } = await world.register();

    const [post] = world.posts;
    expect(post && isAcceptedByAll(post, secret, startOfTest)).toBe(true);
    expect(post?.url).toBe('https://hooks.example.com/');
    expect(JSON.parse(new TextDecoder().decode(post?.body))).toMatchObject({
      id: post?.headers['X-Service-Event-Id'],
      type: 'webhook.test',
      webhook_id: endpoint.id,
      links: {},
    });
    expect(secret.startsWith(endpoint.secretPrefix)).toBe(true);
    expect(world.reserved[0]?.secret).not.toBe(secret);
  });

  it('claims the handshake before anything is sent', async () => {
    const seen: (Delivery | undefined)[] = [];
    const world: World = createWorld({
      receiver: () => {
        seen.push(world.deliveries.all()[0]);
        return acknowledged;
      },
    });

    await world.register();

    expect(seen).toMatchObject([
      { status: 'pending', attempts: 1, claim: { leaseUntil: startOfTest + 30_000 }, retryAt: null },
    ]);
  });
});

describe('registerWebhook() with an endpoint that does not acknowledge the handshake', () => {
  it.each([rejected, { ...rejected, outcome: 'dns_failed', responseStatus: null } as const])(
    'leaves the endpoint failed, and returns its secret, after one attempt that is $outcome',
    async (result) => {
      const world = createWorld({
        receiver: () => result,
        deps: { activateEndpoint: unexpected('activate') },
      });

      const { endpoint, handshake, secret } = await world.register();

      expect(endpoint).toMatchObject({ status: 'failed', activatedAt: null });
      expect(secret).toMatch(/^whsec_/);
      const { outcome, responseStatus } = result;
      const log = [{ outcome, responseStatus }];
      expect(handshake).toMatchObject({
        status: 'failed',
        attempts: 1,
        retryAt: null,
        endedAt: startOfTest,
        log,
      });
    },
  );

  it('returns the endpoint as deleted when it was deleted during the handshake', async () => {
    const world: World = createWorld({
      receiver: () => {
        world.deleteReserved();
        return acknowledged;
      },
    });

    await expect(world.register()).resolves.toMatchObject({
      endpoint: { status: 'deleted', activatedAt: null },
      handshake: { status: 'delivered' },
    });
  });

  it('leaves the endpoint failed when another worker recorded the handshake', async () => {
    const world: World = createWorld({
      receiver: () => {
        for (const handshake of world.deliveries.all())
          world.deliveries.put({ ...handshake, status: 'failed', claim: null, endedAt: startOfTest });
        return acknowledged;
      },
      deps: { activateEndpoint: unexpected('activate') },
    });

    await expect(world.register()).resolves.toMatchObject({
      endpoint: { status: 'failed' },
      handshake: { status: 'failed' },
    });
  });

  it('throws when the outcome cannot be stored, and leaves the endpoint failed', async () => {
    const world = createWorld({
      deps: {
        recordAttempt: () => Promise.reject(new Error('throttled')),
        activateEndpoint: unexpected('activate'),
      },
    });

    await expect(world.register()).rejects.toThrow('throttled');
    expect(world.reserved).toMatchObject([{ status: 'failed' }]);
  });
});

describe('registerWebhook() with a request that it refuses', () => {
  it('refuses a forbidden URL before it stores anything', async () => {
    const world = createWorld({ deps: { checkUrl: async () => ({ ok: false, detail: 'must be https' }) } });

    await expect(world.register()).rejects.toMatchObject({
      code: 'invalid_request',
      members: { errors: [{ pointer: '/url', detail: 'must be https' }] },
    });
    expect(world.steps).toEqual([]);
  });

  it('refuses a sixth endpoint without a POST', async () => {
    const endpoints = [1, 2, 3, 4, 5].map((number) => buildEndpoint({ id: `whe_${number}` }));
    const world = createWorld({ endpoints });

    await expect(world.register()).rejects.toMatchObject({
      code: 'webhook_limit_exceeded',
      status: 409,
      members: { limit: 5 },
    });
    expect(world.steps).toEqual(['check', 'seal', 'reserve']);
    expect(world.deliveries.all()).toEqual([]);
  });

  it('stores nothing when the secret cannot be encrypted', async () => {
    const world = createWorld({ deps: { encryptSecret: () => Promise.reject(new Error('denied')) } });

    await expect(world.register()).rejects.toThrow('denied');
    expect(world.steps).toEqual(['check']);
  });
});

describe('registerWebhook() with an endpoint that is slow to accept a connection', () => {
  it('reads the endpoint again before it sends the handshake', async () => {
    const world: World = createWorld({
      connecting: () => world.clock.pass(readingLasts + 1),
    });

    const { endpoint } = await world.register();

    expect(endpoint.status).toBe('active');
    expect(world.posts).toHaveLength(1);
  });

  it('sends no handshake to an endpoint that was deleted meanwhile, and returns it as deleted', async () => {
    const world: World = createWorld({
      connecting: () => {
        world.deleteReserved();
        world.clock.pass(readingLasts + 1);
      },
    });

    const { endpoint, handshake } = await world.register();

    expect(world.posts).toEqual([]);
    expect(endpoint.status).toBe('deleted');
    expect(handshake).toMatchObject({
      status: 'failed',
      attempts: 0,
      cancelled: 'endpoint_deleted',
      log: [],
    });
  });

  it('throws and sends nothing when the endpoint cannot be read', async () => {
    const world: World = createWorld({
      connecting: () => world.clock.pass(readingLasts + 1),
      deps: { readLiveEndpoint: () => Promise.reject(new Error('throttled')) },
    });

    await expect(world.register()).rejects.toThrow('Cannot read the endpoint for its handshake in time');
    expect(world.posts).toEqual([]);
    expect(world.events).toMatchObject([{ name: 'step.failed', step: 'read-endpoint' }]);
  });
});
