import { describe, expect, it } from 'vitest';
import { noTimings } from '#shared/domain/attempt.ts';
import type { Delivery } from '#shared/domain/delivery.ts';
import { buildDelivery } from '../support/values/builders.ts';
import type { SeenPost } from './receivers.ts';
import type { StoredDelivery } from './stored-deliveries.ts';
import { type Facts, judge } from './verdict.ts';

const customer = { id: 'cus_1', api_key: 'key_1' };
const endpoint = { customer, webhookId: 'whe_1', path: '/fails-once/1', registeredAt: 1_000 };
const run = { customerId: customer.id, runId: 'run_1', firstSentAt: 2_000 };
const refused: SeenPost = { path: endpoint.path, eventId: 'evt_1', body: 'body', status: 503 };
const acknowledged: SeenPost = { ...refused, status: 200 };

function stored(given: Partial<Delivery> = {}): StoredDelivery {
  const delivery: Delivery = {
    ...buildDelivery({ id: 'whd_1', customerId: customer.id, webhookId: endpoint.webhookId }),
    body: 'body',
    status: 'delivered',
    attempts: 2,
    lastAttemptAt: 3_000,
    endedAt: 3_000,
    ...given,
  };
  return { delivery, eventId: 'evt_1', eventType: 'run.completed', runId: run.runId, waiting: null };
}

const interruption = {
  at: 2_500,
  outcome: 'interrupted',
  responseStatus: null,
  error: null,
  durationMs: 30_000,
  timings: noTimings,
} as const;

/** A Run with one delivery, whose second attempt was acknowledged. */
const sound: Facts = {
  runs: [run],
  endpoints: [endpoint],
  deliveries: [stored()],
  posts: [refused, acknowledged],
  mayInterrupt: false,
};

const replay = stored({ id: 'whd_2', replayOf: 'whd_1', attempts: 1 });
const three = { status: 'failed', attempts: 3 } as const;

describe('judge()', () => {
  it.each<[string, Partial<Facts>]>([
    ['every delivery ended as its receiver saw it', {}],
    [
      'a replay was posted once more',
      { deliveries: [stored(), replay], posts: [...sound.posts, acknowledged] },
    ],
    [
      'an endpoint was registered after the Run',
      { endpoints: [endpoint, { ...endpoint, webhookId: 'whe_2', registeredAt: 3_000 }] },
    ],
    ['all three attempts failed', { deliveries: [stored(three)], posts: [refused, refused, refused] }],
    [
      'a worker died before it sent an attempt',
      { mayInterrupt: true, deliveries: [stored({ attempts: 3, log: [interruption] })] },
    ],
  ])('finds nothing when %s', (_case, given) => {
    const { broken } = judge({ ...sound, ...given });

    expect(broken).toEqual([]);
  });

  it.each<[string, Partial<Facts>, string]>([
    ['a delivery is left', { deliveries: [stored({ status: 'pending' })] }, 'Delivery whd_1 is pending'],
    ['an event is lost', { deliveries: [], posts: [] }, 'Run run_1 has 0 deliveries for whe_1'],
    [
      'an event is delivered twice',
      { deliveries: [stored(), stored({ id: 'whd_2' })] },
      'Run run_1 has 2 deliveries for whe_1',
    ],
    [
      'a Run becomes two events',
      { deliveries: [stored(), { ...replay, eventId: 'evt_2', delivery: stored({ id: 'whd_2' }).delivery }] },
      'Run run_1 became 2 events',
    ],
    [
      'a delivery is posted four times',
      { deliveries: [stored({ attempts: 4 })], posts: [refused, refused, refused, acknowledged] },
      'Event evt_1 was posted 4 times to /fails-once/1, and 3 are allowed',
    ],
    [
      'an attempt is not counted',
      { deliveries: [stored({ attempts: 1 })] },
      'Event evt_1 was posted 2 times to /fails-once/1, and only 1 attempts are counted',
    ],
    [
      'an attempt is charged that was not made',
      { deliveries: [stored({ attempts: 3 })] },
      'Event evt_1 was posted 2 times to /fails-once/1, but 3 attempts are counted',
    ],
    [
      'a worker dies for no reason',
      { deliveries: [stored({ attempts: 3, log: [interruption] })] },
      'Delivery whd_1 was interrupted 1 times without need',
    ],
    [
      'no attempt was acknowledged',
      { posts: [refused, refused] },
      'Event evt_1 is stored as delivered, but /fails-once/1 did not acknowledge it',
    ],
    [
      'attempts are left',
      { deliveries: [stored({ status: 'failed' })] },
      'Delivery whd_1 failed after 2 attempts',
    ],
    [
      'the bytes change',
      { posts: [refused, { ...acknowledged, body: 'other' }] },
      'Event evt_1 has 2 different bodies',
    ],
    [
      'something is posted that was never stored',
      { posts: [...sound.posts, { ...refused, eventId: 'evt_9' }] },
      '/fails-once/1 got event evt_9, of which no delivery is stored',
    ],
  ])('reports when %s', (_case, given, expected) => {
    const { broken } = judge({ ...sound, ...given });

    expect(broken).toContain(expected);
  });

  it('counts the POSTs that the receivers got for each delivery of an event', () => {
    const posts = [refused, acknowledged, acknowledged];

    const { counts } = judge({ ...sound, deliveries: [stored(), replay], posts });

    expect(counts).toEqual({
      events: 1,
      deliveries: 2,
      posts: 3,
      mostPosts: 2,
      delivered: 2,
      failed: 0,
      interrupted: 0,
    });
  });
});
