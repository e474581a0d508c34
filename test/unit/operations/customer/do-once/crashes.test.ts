import { describe, expect, it } from 'vitest';
import { requestLease } from '#shared/domain/request-key.ts';
import type { OnceDeps } from '#shared/operations/customer/do-once.ts';
import { registerWebhook } from '#shared/operations/customer/register-webhook.ts';
import { replayDelivery } from '#shared/operations/customer/replay-delivery.ts';
import { rotateSecret } from '#shared/operations/customer/rotate-secret.ts';
import { sendExample } from '#shared/operations/customer/send-example.ts';
import { startBulkReplay } from '#shared/operations/replays/start-bulk-replay.ts';
import type { SecretSeed } from '#shared/operations/seed.ts';
import { postTo } from '../../../../support/http/sent-request.ts';
import type { Io } from '../../../../support/table/io.ts';
import {
  acknowledged,
  buildDelivery,
  buildEndpoint,
  customerId,
  startOfTest,
  webhookId,
} from '../../../../support/values/builders.ts';
import { sealed, unsealed } from '../../../../support/values/sealed-secrets.ts';
import { OnceWorld, requestOf } from './once-world.ts';

/** What happens to one of the requests to AWS that a request of a customer makes. */
const faults = {
  'the function dies before it': { arrives: false, answers: false },
  'the function dies after it': { arrives: true, answers: false },
  'it fails': { arrives: false, answers: true },
  'its response is lost': { arrives: true, answers: true },
} as const;
type Fault = (typeof faults)[keyof typeof faults];

const otherSecret = 'whsec_before';
const context = { customerId, webhookId };

/** A world in which one of the calls meets a fault. */
class FaultyWorld {
  calls = 0;
  posts = 0;
  readonly world: OnceWorld;
  #at = 0;
  #fault: Fault | null = null;

  constructor(given: Partial<OnceDeps> = {}) {
    const io: Io = async (_request, effect) => {
      this.calls += 1;
      const fault = this.calls === this.#at ? this.#fault : null;
      if (fault === null) return effect(0);
      if (fault.arrives) effect(0);
      if (!fault.answers) await new Promise(() => {});
      throw new Error('down');
    };
    this.world = new OnceWorld(given, io);
    this.world.table.addCustomer(customerId);
    this.world.table.addEndpoint(buildEndpoint({ secret: sealed(otherSecret, context) }));
    this.world.table.putDelivery(original, null);
  }

  breakCall(at: number, fault: Fault): void {
    this.#at = this.calls + at;
    this.#fault = fault;
  }

  /** Sends the request until it is answered. @returns the bodies of all its answers */
  async sendAgain(run: (world: FaultyWorld, seed: SecretSeed) => Promise<unknown>): Promise<readonly unknown[]> {
    const send = async (): Promise<unknown> => {
      const answer = this.world.once(requestOf('a'), (seed) => run(this, seed)).then(({ body }) => body);
      return await Promise.race([answer.catch(() => undefined), nextTurns()]);
    };
    const bodies: unknown[] = [];
    for (let tries = 0; tries < 4; tries += 1) {
      bodies.push(await send());
      this.world.clock.pass(requestLease);
    }
    return bodies.filter((body) => body !== undefined);
  }
}

const original = buildDelivery({ status: 'failed', attempts: 3, endedAt: startOfTest }, 1);

/** All that is ready to run, runs before it resolves. */
async function nextTurns(): Promise<undefined> {
  for (let turn = 0; turn < 40; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

type Operation = {
  readonly run: (world: FaultyWorld, seed: SecretSeed) => Promise<unknown>;
  /** What there is in the end, for the body of the answer. */
  readonly check: (world: FaultyWorld, body: never) => void;
};

const depsOf = (faulty: FaultyWorld) => ({
  ...faulty.world.deps,
  ...faulty.world.ports,
  monotonic: faulty.world.clock.now,
  serviceName: 'Service',
  standardWebhooks: true,
  baseUrl: 'https://api.example.com',
  checkUrl: async (url: string) => ({ ok: true as const, url }),
  postEvent: postTo(() => {
    faulty.posts += 1;
    return acknowledged;
  }),
  enqueueAttempts: async () => [],
  sendReplayStep: async () => {},
});

const added = ({ world }: FaultyWorld) =>
  [...world.table.deliveries].map(({ delivery }) => delivery.id).filter((id) => id !== original.id);

const operations: Readonly<Record<string, Operation>> = {
  'a registration': {
    run: async (world, seed) => {
      const given = { url: 'https://hooks.example.com/new', description: '' };
      const { endpoint, secret, handshake } = await registerWebhook(depsOf(world))(customerId, given, seed);
      return { id: endpoint.id, secret, handshake: handshake.id };
    },
    check: ({ world, posts }, { id, secret, handshake }: { id: string; secret: string; handshake: string }) => {
      const others = world.table.liveEndpoints(customerId).filter((each) => each.id !== webhookId);
      expect(others.map((each) => each.id)).toEqual([id]);
      expect(unsealed(others[0]?.secret ?? '', { customerId, webhookId: id })).toBe(secret);
      expect([...world.table.holdingsOf(customerId).slots].sort()).toEqual([webhookId, id].sort());
      expect([...world.table.deliveries].map(({ delivery }) => delivery.id)).toContain(handshake);
      expect(posts).toBeLessThanOrEqual(1);
    },
  },
  'a rotation': {
    run: async (world, seed) => {
      const { secret, overlapEnd } = await rotateSecret(depsOf(world))(customerId, webhookId, seed);
      return { secret, overlapEnd };
    },
    check: ({ world }, { secret, overlapEnd }: { secret: string; overlapEnd: number }) => {
      const stored = world.table.liveEndpoint(customerId, webhookId);
      expect(unsealed(stored?.secret ?? '', context)).toBe(secret);
      expect(unsealed(stored?.previousSecret ?? '', context)).toBe(otherSecret);
      expect(stored?.previousSecretExpiresAt).toBe(overlapEnd);
    },
  },
  'a replay': {
    run: async (world, seed) => (await replayDelivery(depsOf(world))(original, seed)).id,
    check: (world, id: string) => expect(added(world)).toEqual([id]),
  },
  'an example': {
    run: async (world, seed) => (await sendExample(depsOf(world))(customerId, webhookId, 'run.completed', seed)).id,
    check: (world, id: string) => expect(added(world)).toEqual([id]),
  },
  'a bulk replay': {
    run: async (world, seed) => {
      const selection = { status: 'failed', createdAfter: 0, createdBefore: null } as const;
      const requestedBy = { by: 'customer', credentialId: 'aky_1' } as const;
      const job = { customerId, webhookId, selection, rate: 10, requestedBy };
      return (await startBulkReplay(depsOf(world))(job, seed)).id;
    },
    check: ({ world }, id: string) => expect([...world.table.bulkReplays.values()].map(({ id }) => id)).toEqual([id]),
  },
};

describe.each(Object.entries(operations))('%s that is sent again under its key', (_name, { run, check }) => {
  it.each(Object.entries(faults))('is done once, whichever request to AWS meets a fault: %s', async (_fault, fault) => {
    const calm = new FaultyWorld();
    await calm.sendAgain(run);
    const calls = calm.calls;
    expect(calls).toBeGreaterThan(3);
    for (let at = 1; at <= calls; at += 1) {
      const world = new FaultyWorld();
      world.breakCall(at, fault);
      const bodies = await world.sendAgain(run);

      expect(bodies.length, `call ${at}`).toBeGreaterThanOrEqual(2);
      expect(new Set(bodies.map((body) => JSON.stringify(body))).size, `call ${at}`).toBe(1);
      check(world, bodies[0] as never);
    }
  });

  it('is done once when it is sent twenty times at once', async () => {
    // Twenty that wait at the same time wait no longer than one.
    const world = new FaultyWorld({ wait: () => new Promise((resolve) => setImmediate(resolve)) });

    const answers = await Promise.all(
      Array.from({ length: 20 }, () => world.world.once(requestOf('a'), (seed) => run(world, seed))),
    );

    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    expect(answers.filter(({ isReplayed }) => !isReplayed)).toHaveLength(1);
    check(world, answers[0]?.body as never);
  });
});
