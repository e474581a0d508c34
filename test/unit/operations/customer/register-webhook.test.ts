import { describe, expect, it } from 'vitest';
import type { PostResult } from '#shared/domain/attempt.ts';
import { type Endpoint, readingLasts } from '#shared/domain/endpoint.ts';
import { idTime, isOwnId } from '#shared/domain/ids.ts';
import { claimGrace } from '#shared/domain/retry-plan.ts';
import { registerWebhook } from '#shared/operations/customer/register-webhook.ts';
import { postTo, type SentRequest } from '../../../support/http/sent-request.ts';
import { countingBytes, createClock, createJournal, createReports } from '../../../support/operations/deps.ts';
import { attemptRequest } from '../../../support/table/attempt-requests.ts';
import type { Io } from '../../../support/table/io.ts';
import { recordStore } from '../../../support/table/record-store.ts';
import { acknowledged, buildEndpoint, customerId, rejected, startOfTest } from '../../../support/values/builders.ts';
import { sealed, unsealed } from '../../../support/values/sealed-secrets.ts';
import { isAcceptedByAll } from '../../../support/values/verifiers.ts';

type Deps = Parameters<typeof registerWebhook>[0];
type Given = {
  readonly endpoints?: readonly Endpoint[];
  readonly receiver?: (world: World) => PostResult;
  readonly connecting?: (world: World) => void;
  /** Called when the endpoint is stored, before the service knows. */
  readonly stored?: (world: World) => void;
  /** Called for each request of the table, such as `get CUS`, or `record`. Throws to fail it. */
  readonly strike?: (request: string) => void;
  readonly deps?: Partial<Deps>;
};

class World {
  readonly clock = createClock(startOfTest);
  readonly journal = createJournal();
  readonly reports = createReports();
  readonly store: ReturnType<typeof recordStore>;
  readonly posts: SentRequest[] = [];
  readonly reserved: Endpoint[] = [];
  readonly register: () => ReturnType<ReturnType<typeof registerWebhook>>;

  constructor({ endpoints = [], receiver = () => acknowledged, connecting, stored, strike, deps }: Given = {}) {
    const io: Io = async (request, effect) => {
      const name = attemptRequest(request)?.does ?? request.name;
      this.journal.entries.push(name);
      strike?.(name);
      const answer = effect(0);
      if (name !== 'transaction') return answer;
      this.reserved.push(...this.store.records.liveEndpoints(customerId));
      stored?.(this);
      return answer;
    };
    this.store = recordStore({ endpoints, io });
    const { ports } = this.store;
    const { note } = this.journal;
    const register = registerWebhook({
      table: ports.table,
      now: this.clock.now,
      monotonic: this.clock.now,
      randomBytes: countingBytes(),
      serviceName: 'Service',
      standardWebhooks: true,
      report: this.reports.report,
      checkUrl: note('check', async (text) => ({ ok: true as const, url: `${text.toLowerCase()}/` })),
      encryptSecret: note('seal', async (secret, context) => sealed(secret, context)),
      postEvent: postTo(
        note('post', (request: SentRequest) => {
          this.posts.push(request);
          return receiver(this);
        }),
        () => connecting?.(this),
      ),
      ...deps,
    });
    this.register = () => register(customerId, { url: 'https://Hooks.Example.com', description: 'Billing' });
  }

  get handshakes() {
    return this.store.deliveries.all();
  }

  deleteReserved(): void {
    for (const endpoint of this.reserved) this.store.endpoints.put({ ...endpoint, status: 'deleted' });
  }
}

function deleteMeanwhile(world: World): void {
  world.deleteReserved();
  world.clock.pass(readingLasts + 1);
}

const throttled = () => Promise.reject(new Error('throttled'));

describe('registerWebhook() with an endpoint that acknowledges the handshake', () => {
  it('stores the endpoint as failed, sends the handshake, and activates it, in this order', async () => {
    const world = new World();

    const { endpoint, handshake } = await world.register();

    expect(world.journal.entries).toEqual(['check', 'seal', 'transaction', 'post', 'record', 'update CUS']);
    expect(world.reserved).toMatchObject([{ status: 'failed', activatedAt: null }]);
    const made = { id: endpoint.id, url: 'https://hooks.example.com/', description: 'Billing' };
    const { secret } = endpoint;
    expect(unsealed(secret, { customerId, webhookId: endpoint.id })).toMatch(/^whsec_/);
    const secretPrefix = expect.stringMatching(/^whsec_.{6}$/);
    const active = buildEndpoint({ ...made, secret, secretPrefix, activatedAt: startOfTest });
    expect(endpoint).toEqual(active);
    expect([isOwnId('webhook', endpoint.id), idTime(endpoint.id)]).toEqual([true, startOfTest]);
    expect(await world.store.ports.readLiveEndpoint(customerId, endpoint.id)).toEqual(endpoint);
    const ended = { status: 'delivered', claim: null, endedAt: startOfTest, lastAttemptAt: startOfTest };
    const log = [{ outcome: 'acknowledged' }];
    expect(handshake).toMatchObject({ customerId, webhookId: endpoint.id, attempts: 1, log, ...ended });
    expect(world.handshakes).toEqual([handshake]);
  });

  it('returns the secret that signed the handshake, and stores it only encrypted', async () => {
    const world = new World();

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
    const seen: unknown[] = [];
    const world = new World({
      receiver: ({ handshakes }) => {
        seen.push(...handshakes);
        return acknowledged;
      },
    });

    await world.register();

    const claim = { leaseUntil: startOfTest + 30_000 };
    expect(seen).toMatchObject([{ status: 'pending', attempts: 1, claim, retryAt: null }]);
  });
});

describe('registerWebhook() with an endpoint that does not become active', () => {
  const recordedByAnother = ({ store, handshakes }: World): PostResult => {
    for (const handshake of handshakes)
      store.deliveries.put({ ...handshake, status: 'failed', claim: null, endedAt: startOfTest });
    return acknowledged;
  };
  const failed = { status: 'failed', attempts: 1, retryAt: null, endedAt: startOfTest };
  const refused = { outcome: 'rejected', responseStatus: 500 };
  const unresolved = { ...rejected, outcome: 'dns_failed', responseStatus: null } as const;

  it.each<[string, Given, string, object]>([
    [
      'failed when the receiver rejects its only attempt',
      { receiver: () => rejected },
      'failed',
      { ...failed, log: [refused] },
    ],
    [
      'failed when its host does not resolve',
      { receiver: () => unresolved },
      'failed',
      { ...failed, log: [{ outcome: 'dns_failed', responseStatus: null }] },
    ],
    ['failed when another worker recorded the handshake', { receiver: recordedByAnother }, 'failed', failed],
    [
      'deleted when it was deleted during the handshake',
      {
        receiver: (world) => {
          world.deleteReserved();
          return acknowledged;
        },
      },
      'deleted',
      { status: 'delivered' },
    ],
    [
      'deleted, without a POST, when it was deleted while the connection was opened',
      { connecting: deleteMeanwhile },
      'deleted',
      { status: 'failed', attempts: 0, cancelled: 'endpoint_deleted', log: [] },
    ],
    [
      'deleted, without a POST, when it was deleted before the service knew that it was stored',
      { stored: deleteMeanwhile },
      'deleted',
      { status: 'failed', attempts: 0, cancelled: 'endpoint_deleted', log: [] },
    ],
  ])('returns its secret, and the endpoint as %s', async (_, given, status, handshake) => {
    const world = new World(given);

    expect(await world.register()).toMatchObject({
      endpoint: { status, activatedAt: null },
      handshake,
      secret: expect.stringMatching(/^whsec_/),
    });
    expect(world.posts).toHaveLength('cancelled' in handshake ? 0 : 1);
  });

  it('throws when the outcome cannot be stored, and leaves the endpoint failed', async () => {
    const world = new World({
      strike: (request) => {
        if (request === 'record') throw new Error('throttled');
      },
    });

    await expect(world.register()).rejects.toThrow('throttled');
    const [{ id = '' } = {}] = world.reserved;
    expect(await world.store.ports.readLiveEndpoint(customerId, id)).toMatchObject({ status: 'failed' });
  });
});

describe('registerWebhook() with a request that it refuses', () => {
  const five = [1, 2, 3, 4, 5].map((number) => buildEndpoint({ id: `whe_${number}` }));
  const forbidden = async () => ({ ok: false, detail: 'must be https' }) as const;

  it.each<[string, Given, object, readonly string[]]>([
    [
      'a forbidden URL, before it stores anything',
      { deps: { checkUrl: forbidden } },
      { code: 'invalid_request', members: { errors: [{ pointer: '/url', detail: 'must be https' }] } },
      [],
    ],
    [
      'a sixth endpoint, without a POST',
      { endpoints: five },
      { code: 'webhook_limit_exceeded', status: 409, members: { limit: 5 } },
      ['check', 'seal', 'transaction'],
    ],
    [
      'every URL while secrets cannot be encrypted, before it stores anything',
      { deps: { encryptSecret: throttled } },
      { message: 'throttled' },
      ['check'],
    ],
  ])('refuses %s', async (_, given, refusal, steps) => {
    const world = new World(given);

    await expect(world.register()).rejects.toMatchObject(refusal);
    expect(world.journal.entries).toEqual(steps);
    expect(world.handshakes).toEqual([]);
  });
});

describe('registerWebhook() with an endpoint that is slow to accept a connection', () => {
  const connecting = ({ clock }: World): void => clock.pass(readingLasts + 1);

  it('reads the endpoint again before it sends the handshake', async () => {
    const world = new World({ connecting });

    expect(await world.register()).toMatchObject({ endpoint: { status: 'active' } });
    expect(world.journal.entries.filter((entry) => entry === 'get CUS')).toHaveLength(1);
  });

  it('tries once more when the endpoint could not be read in time', async () => {
    let reads = 0;
    const strike = (request: string) => {
      if (request === 'get CUS') reads += 1;
      if (reads === 1) throw new Error('throttled');
    };
    const world = new World({ connecting, strike });

    expect(await world.register()).toMatchObject({
      endpoint: { status: 'active' },
      handshake: { attempts: 1 },
    });
    expect(world.posts).toHaveLength(1);
  });

  it.each([
    ['storing the endpoint', 'transaction'],
    ['a first try', 'get CUS'],
  ])('sends nothing after %s took so long that the claim could end before the handshake', async (_, slow) => {
    const strike = (request: string) => {
      if (request !== slow) return;
      world.clock.pass(claimGrace + 1);
      if (slow === 'get CUS') throw new Error('throttled');
    };
    const world: World = new World({ connecting, strike });

    await expect(world.register()).rejects.toThrow('Cannot begin the handshake in time');
    expect(world.posts).toEqual([]);
    expect(world.handshakes).toMatchObject([{ status: 'pending', attempts: 1 }]);
  });

  it('throws and sends nothing when the endpoint cannot be read', async () => {
    const strike = (request: string) => {
      if (request === 'get CUS') throw new Error('throttled');
    };
    const world = new World({ connecting, strike });

    await expect(world.register()).rejects.toThrow('Cannot read the endpoint for its handshake in time');
    expect(world.posts).toEqual([]);
    const failed = { name: 'step.failed', step: 'read-endpoint' };
    expect(world.reports.events).toMatchObject([failed, failed]);
  });
});
