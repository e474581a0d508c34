import { describe, expect, it } from 'vitest';
import { changeSettles, overlapEnd, readingLasts } from '#shared/domain/endpoint.ts';
import { claimGrace, claimLease, maxAttempts, timeToClaim, timeToPost } from '#shared/domain/retry-plan.ts';
import { signatureHeader } from '#shared/domain/signature.ts';
import { answered, asked, Delivering, dueFor, type Given, outcomeOf } from '../../../support/operations/delivering.ts';
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
  retryAfter,
  runBody,
  sealedSecret,
  startOfTest,
  webhookId,
} from '../../../support/values/builders.ts';
import { secretNamed } from '../../../support/values/secret-named.ts';

const key = { customerId, webhookId, id: deliveryIdNumber(1) };
const claim = (lease: number) => ({ fencingToken: 'another worker', leaseUntil: startOfTest + lease });
const throttled = new Error('throttled');
const fails = () => Promise.reject(throttled);
const fail = () => {
  throw throttled;
};

const cancelled = { status: 'failed', cancelled: 'endpoint_deleted' };
const tooLong = readingLasts + 1;

// test/unit/http/three-verifiers.test.ts has the bytes, the headers and the signatures that are sent.
describe('deliverAttempts() to a receiver that accepts', () => {
  it('claims the attempt, posts it, records it, and schedules nothing', async () => {
    expect(await outcomeOf()).toMatchObject({
      results: ['done'],
      steps: ['claim', 'post', 'record'],
      stored: {
        status: 'delivered',
        attempts: 1,
        claim: null,
        endedAt: startOfTest,
        lastAttemptAt: startOfTest,
        log: [{ outcome: 'acknowledged', responseStatus: 200 }],
      },
      events: [
        {
          name: 'deliveries.acknowledged',
          attempts: [{ attempt: 1, delivery: { event: { id: eventId } } }],
        },
      ],
    });
  });

  it('has counted the attempt when the POST begins', async () => {
    const seen: unknown[] = [];

    await outcomeOf({
      receiver: ({ stored }) => {
        seen.push(stored);
        return acknowledged;
      },
    });

    expect(seen).toMatchObject([{ attempts: 1, claim: { leaseUntil: startOfTest + 30_000 } }]);
  });
});

describe('deliverAttempts() to a receiver that fails', () => {
  it.each([1, 2] as const)(
    'stores the time of the next try after attempt %i, then schedules that very time',
    async (attempt) => {
      const retryAt = retryAfter(attempt, startOfTest + 9000);
      const earlier = attempt === 1 ? {} : { attempts: 1, retryAt: startOfTest };
      const deliveries = [buildDelivery(earlier)];
      const receiver: Given['receiver'] = ({ clock }) => {
        clock.pass(9000);
        return rejected;
      };

      expect(await outcomeOf({ deliveries, receiver }, dueFor(attempt))).toMatchObject({
        results: ['done'],
        steps: ['claim', 'post', 'record', 'schedule'],
        stored: { status: 'pending', attempts: attempt, retryAt },
        scheduled: [{ due: dueFor(attempt + 1), at: retryAt, lane: 'ordinary' }],
      });
    },
  );

  it('reports a timer that cannot be made, and completes the message: the time is stored', async () => {
    const deps = () => ({ scheduleAttempt: fails });

    expect(await outcomeOf({ receiver: () => rejected, deps })).toMatchObject({
      results: ['done'],
      stored: { retryAt: retryAfter(1, startOfTest) },
      events: [{ name: 'delivery.attempted' }, { name: 'step.failed', step: 'schedule', cause: throttled }],
    });
  });

  it('completes the message when the time of the attempt cannot be noted at the endpoint', async () => {
    const newer = Array.from({ length: 20 }, (_, index) => buildDelivery({}, index + 2));
    const world = new Delivering({
      deliveries: [buildDelivery(), ...newer],
      strike: asked('touch', fail),
    });
    world.clock.pass(2 * minute);

    expect(await world.deliver(dueFor())).toEqual(['done']);
    expect(world.stored).toMatchObject({ status: 'delivered' });
    expect(world.events).toMatchObject([{ name: 'step.failed', step: 'touch' }, { name: 'deliveries.acknowledged' }]);
  });

  it('reports that another worker settled the attempt meanwhile, and changes nothing', async () => {
    const settled = buildDelivery({ status: 'failed', attempts: 1, endedAt: startOfTest });

    const outcome = await outcomeOf({
      receiver: ({ store }) => {
        store.deliveries.put(settled);
        return rejected;
      },
    });

    expect(outcome).toMatchObject({ results: ['done'], stored: settled, scheduled: [] });
    expect(outcome.steps).not.toContain('touch');
    expect(outcome.events).toMatchObject([{ name: 'delivery.superseded', attempt: 1 }]);
  });
});

describe('deliverAttempts() about a deleted endpoint', () => {
  it('cancels the delivery without a POST', async () => {
    expect(await outcomeOf({ endpoints: [] })).toMatchObject({
      results: ['done'],
      steps: ['cancel'],
      stored: { ...cancelled, attempts: 0, endedAt: startOfTest },
      events: [{ name: 'delivery.cancelled', delivery: key, reason: 'endpoint_deleted' }],
    });
  });

  it('posts nothing when the endpoint is deleted while the connection is opened, and gives the attempt back', async () => {
    const outcome = await outcomeOf({
      connecting: ({ store, clock }) => {
        store.endpoints.put(buildEndpoint({ status: 'deleted' }));
        clock.pass(tooLong);
      },
    });

    expect(outcome).toMatchObject({
      results: ['done'],
      steps: ['claim', 'release', 'cancel'],
      stored: { ...cancelled, attempts: 0, claim: null, lastAttemptAt: null },
    });
  });

  it('opens no connection when the endpoint is deleted after the reading of the batch', async () => {
    let connections = 0;
    const outcome = await outcomeOf({
      connecting: () => {
        connections += 1;
      },
      strike: answered('claim', ({ store, clock }) => {
        store.endpoints.put(buildEndpoint({ status: 'deleted' }));
        clock.pass(tooLong);
      }),
    });

    expect(connections).toBe(0);
    expect(outcome).toMatchObject({ results: ['done'], stored: { ...cancelled, attempts: 0 } });
  });

  it('reads the endpoint once when the connection opens while the reading is valid, which ends before a deletion is answered', async () => {
    const { reads, posts } = await outcomeOf({ connecting: readingLasts });

    expect(reads).toBe(1);
    expect(posts).toHaveLength(1);
    expect(readingLasts).toBeLessThan(changeSettles);
  });

  it.each([
    ['leaves a delivery to the worker that attempts it', { attempts: 1, claim: claim(1) }, 'retry'],
    ['leaves a delivery that ended', { status: 'delivered', attempts: 1, endedAt: 1 }, 'done'],
  ] as const)('%s when its endpoint is deleted', async (_, given, result) => {
    const delivery = buildDelivery(given);

    const { results, stored, events } = await outcomeOf({ deliveries: [delivery], endpoints: [] });

    expect(results).toEqual([result]);
    expect(stored).toEqual(delivery);
    expect(events).toEqual([]);
  });

  it.each([
    { attempts: 1, status: 'pending', scheduled: 1 },
    { attempts: 3, status: 'failed', scheduled: 0 },
  ])('counts attempt $attempts when its worker died, and leaves its delivery $status', async (expected) => {
    const { attempts, status } = expected;
    const deliveries = [buildDelivery({ attempts, claim: claim(-1) })];

    const outcome = await outcomeOf({ deliveries, endpoints: [] }, dueFor(attempts));

    expect(outcome).toMatchObject({
      results: ['done'],
      stored: { status, attempts, claim: null, cancelled: null, log: [{ outcome: 'interrupted' }] },
      posts: [],
    });
    expect(outcome.scheduled).toHaveLength(expected.scheduled);
  });
});

describe('deliverAttempts() about an endpoint that changes', () => {
  const rotated = buildEndpoint({
    url: 'https://moved.example.com/in',
    secret: sealedSecret(secretNamed('new')),
    previousSecret: sealedSecret(secretNamed('current')),
    previousSecretExpiresAt: overlapEnd(startOfTest),
  });
  const signature = (at: number, ...secrets: readonly string[]) =>
    signatureHeader(secrets.map(secretNamed), new TextEncoder().encode(runBody), at);

  it('signs with the secrets that are valid when the request begins, if opening the connection took longer than a reading lasts', async () => {
    const { posts } = await outcomeOf({
      connecting: ({ store, clock }) => {
        store.endpoints.put(rotated);
        clock.pass(tooLong);
      },
    });

    const signed = signature(startOfTest + tooLong, 'new', 'current');
    expect(posts).toMatchObject([{ headers: { 'X-Service-Signature': signed } }]);
  });

  it('posts in a warm function to the current URL, signed with the secrets of that moment, not with cached ones', async () => {
    const ids = [1, 2, 3].map(deliveryIdNumber);
    const world = new Delivering({ deliveries: ids.map((id) => buildDelivery({ id })) });
    const [first, second, third] = ids.map((id) => dueFor(1, { id }));

    await world.deliver(first ?? dueFor());
    world.store.endpoints.put(rotated);
    world.clock.pass(24 * hour - 1);
    await world.deliver(second ?? dueFor());
    world.clock.pass(1);
    await world.deliver(third ?? dueFor());

    const end = startOfTest + 24 * hour;
    expect(world.posts.map(({ url, headers }) => [url, headers['X-Service-Signature']])).toEqual([
      [buildEndpoint().url, signature(startOfTest, 'current')],
      [rotated.url, signature(end - 1, 'new', 'current')],
      [rotated.url, signature(end, 'new')],
    ]);
  });
});

describe('deliverAttempts() when a part of the service fails', () => {
  /** Reads that fail once the attempt is claimed. */
  const readsThatFail = (isDown = () => true) =>
    asked('read', ({ steps }) => {
      if (isDown() && steps.at(-1) === 'claim') throw throttled;
    });
  /** Reads of which the first ones take too long. */
  const slowReads = (count: number) =>
    answered('read', ({ reads, clock }) => {
      if (reads <= count) clock.pass(tooLong);
    });

  it.each<[string, Given]>([
    ['the read of the endpoint', { strike: asked('read', fail) }],
    ['the claim', { strike: asked('claim', fail) }],
    ['the record', { strike: asked('record', fail) }],
    ['the cancellation', { endpoints: [], strike: asked('cancel', fail) }],
  ])('returns the message to the queue when %s fails, and reports it', async (_, given) => {
    expect(await outcomeOf(given)).toMatchObject({
      results: ['retry'],
      events: [{ name: 'step.failed', step: 'deliver', cause: throttled }],
    });
  });

  it('claims nothing while secrets cannot be decrypted, and returns the message to the queue', async () => {
    expect(await outcomeOf({ deps: () => ({ decryptSecret: fails }) })).toMatchObject({
      results: ['retry'],
      steps: [],
      stored: buildDelivery(),
      events: [{ name: 'step.failed', step: 'deliver', delivery: key, cause: throttled }],
    });
  });

  it.each<[string, Given]>([
    [
      'decrypting a secret took longer than a reading lasts',
      {
        deps: (world) => ({
          decryptSecret: async (...sealed) => {
            if (world.reads === 1) world.clock.pass(tooLong);
            return openSealed(...sealed);
          },
        }),
      },
    ],
    [
      'its read is too old, although the clock was set back meanwhile',
      {
        connecting: ({ clock }) => clock.pass(-hour),
        deps: ({ clock }) => ({ monotonic: () => (clock.now() < startOfTest ? tooLong : 0) }),
      },
    ],
  ])('reads the endpoint again when %s', async (_, given) => {
    expect(await outcomeOf(given)).toMatchObject({ results: ['done'], reads: 2 });
  });

  it('does not count how long a read waits in the process before it leaves', async () => {
    const { results, reads } = await outcomeOf({
      deps: ({ store, clock }) => ({
        table: {
          ...store.ports.table,
          groups: {
            endpoints: async () => {
              clock.pass(tooLong);
              return null;
            },
          },
        },
      }),
    });

    expect(results).toEqual(['done']);
    expect(reads).toBe(1);
  });

  it('waits for a read that is recent enough while the process is slow', async () => {
    const { results, posts } = await outcomeOf({ strike: slowReads(10) });

    expect(results).toEqual(['done']);
    expect(posts).toHaveLength(1);
  });

  it('gives the attempt back when every read of the endpoint takes longer than a reading lasts', async () => {
    expect(await outcomeOf({ strike: slowReads(1000) })).toMatchObject({
      reads: 11,
      results: ['retry'],
      steps: ['claim', 'release'],
      stored: buildDelivery(),
    });
  });

  it('shares one read among the attempts that are connected when the first read is too old', async () => {
    const ids = [1, 2, 3, 4, 5].map(deliveryIdNumber);
    let takes = tooLong;
    const given: Given = {
      deliveries: ids.map((id) => buildDelivery({ id })),
      connecting: ({ clock }) => {
        clock.pass(takes);
        takes = 0;
      },
    };

    const { posts, reads } = await outcomeOf(given, ...ids.map((id) => dueFor(1, { id })));

    expect(posts).toHaveLength(ids.length);
    expect(reads).toBe(2);
  });

  it('spends no attempt on reads that fail after the claim: a healthy receiver gets its event when they work again', async () => {
    let isDown = true;
    const world = new Delivering({
      connecting: tooLong,
      strike: readsThatFail(() => isDown),
    });

    for (let time = 0; time < 5; time += 1) expect(await world.deliver(dueFor())).toEqual(['retry']);
    expect(world.posts).toEqual([]);
    expect(world.stored).toEqual(buildDelivery());
    isDown = false;
    expect(await world.deliver(dueFor())).toEqual(['done']);

    expect(world.posts).toHaveLength(1);
    expect(world.stored).toMatchObject({ status: 'delivered', attempts: 1 });
    expect(world.events).toContainEqual({
      name: 'attempt.released',
      delivery: expect.objectContaining({ ...key, event: buildDelivery().event }),
      attempt: 1,
      reason: 'endpoint_unread',
    });
  });

  it('gives an attempt back when its claim was stored but the response was lost', async () => {
    const strike = answered('claim', fail);

    expect(await outcomeOf({ strike })).toMatchObject({ results: ['retry'], stored: buildDelivery() });
  });

  it('lets a claim expire when it cannot be given back, and reports that', async () => {
    const strike: Given['strike'] = async (...given) => {
      asked('release', fail)(...given);
      readsThatFail()(...given);
    };

    expect(await outcomeOf({ connecting: tooLong, strike })).toMatchObject({
      results: ['retry'],
      stored: { attempts: 1, claim: { fencingToken: expect.any(String) } },
      events: [
        { name: 'step.failed', step: 'read-endpoint' },
        { name: 'step.failed', step: 'release', cause: throttled },
      ],
    });
  });
});

/** Lets the clock jump once, after the first claim. */
function jumpAfterClaim(by: number) {
  let left = by;
  return answered('claim', ({ clock }) => {
    clock.pass(left);
    left = 0;
  });
}

describe('deliverAttempts() with little time, or on a clock that jumps', () => {
  /** The function has just enough time to claim, of which the claim takes some. */
  const claimTakes = (time: number) => ({
    timeLeft: ({ steps }: Delivering) => timeToClaim - (steps.includes('claim') ? time : 0),
  });

  it.each<[string, Given, boolean]>([
    ['with just enough time to claim it', { timeLeft: () => timeToClaim }, true],
    ['with too little time to claim it', { timeLeft: () => timeToClaim - 1 }, false],
    ['with just enough time to post it after its claim', claimTakes(timeToClaim - timeToPost), true],
    ['with too little time to post it after its claim', claimTakes(timeToClaim - timeToPost + 1), false],
    ['that is over when its lease ends', { strike: jumpAfterClaim(claimGrace) }, true],
    ['that may not be over when its lease ends', { strike: jumpAfterClaim(claimGrace + 1) }, false],
  ])('makes an attempt only if it can end in time, and spends it only then: one %s', async (_, given, isMade) => {
    const { results, posts, stored } = await outcomeOf(given);

    expect([results, posts.length, stored?.attempts]).toEqual(isMade ? [['done'], 1, 1] : [['retry'], 0, 0]);
  });

  const jumps = [-6 * hour, -5 * minute, -claimLease, claimGrace + 1, claimLease + 1, 5 * minute, 6 * hour];

  const duringPost = (by: number): NonNullable<Given['receiver']> => {
    let left = by;
    return ({ clock }) => {
      clock.pass(left);
      left = 0;
      return rejected;
    };
  };

  it.each(
    jumps.flatMap((by): readonly { readonly by: number; readonly point: string; readonly given: Given }[] => [
      { by, point: 'before the POST', given: { receiver: () => rejected, strike: jumpAfterClaim(by) } },
      { by, point: 'during the POST', given: { receiver: duringPost(by) } },
    ]),
  )('ends the delivery after three attempts, all in its log, when the clock jumps $by ms $point', async ({ given }) => {
    const world = new Delivering(given);

    for (let asked = 0; asked < 100 && world.stored?.status === 'pending'; asked += 1) {
      const { attempts, claim: held } = world.stored;
      await world.deliver(dueFor(held === null ? attempts + 1 : attempts));
      world.clock.pass(11 * minute);
    }

    expect(world.posts.length).toBeLessThanOrEqual(maxAttempts);
    const log = { length: maxAttempts };
    expect(world.stored).toMatchObject({ status: 'failed', attempts: maxAttempts, claim: null, log });
  });
});
