import { describe, expect, it } from 'vitest';
import { noTimings } from '#shared/domain/attempt.ts';
import type { Delivery } from '#shared/domain/delivery.ts';
import { type ApiCall, judgeCalls, type MadeCall } from '../../outages/api-calls.ts';
import type { SeenPost } from '../../outages/receivers.ts';
import { type Facts, judge } from '../../outages/verdict.ts';
import { buildDelivery } from '../../support/values/builders.ts';

const customer = { id: 'cus_1', api_key: 'key_1' };
const endpoint = { customer, webhookId: 'whe_1', path: '/a', registeredAt: 1_000 };
const run = { customerId: customer.id, runId: 'run_1', firstSentAt: 2_000 };
const refused: SeenPost = { path: '/a', eventId: 'evt_1', body: 'body', status: 503 };
const acknowledged: SeenPost = { ...refused, status: 200 };

function stored(given: Partial<Delivery> = {}, eventId = 'evt_1'): Delivery {
  const before = buildDelivery({ id: 'whd_1', customerId: customer.id, webhookId: 'whe_1' });
  const event = { ...before.event, id: eventId, runId: run.runId };
  return { ...before, event, body: 'body', status: 'delivered', attempts: 2, ...given };
}

const unanswered = {
  responseStatus: null,
  error: null,
  isRepeated: false,
  durationMs: 30_000,
  timings: noTimings,
};
const interrupted = stored({ attempts: 3, log: [{ at: 2_500, outcome: 'interrupted', ...unanswered }] });
const withoutTls = { ...unanswered, timings: { ...noTimings, dnsMs: 0, connectMs: 2 } };
const unsent = stored({ attempts: 3, log: [{ at: 2_500, outcome: 'timed_out', ...withoutTls }] });
const replay = stored({ id: 'whd_2', replayOf: 'whd_1', attempts: 1 });
const failed = stored({ status: 'failed', attempts: 3 });

/** A Run with one delivery, whose second attempt was acknowledged. */
const sound: Facts = {
  runs: [run],
  endpoints: [endpoint],
  deliveries: [stored()],
  posts: [refused, acknowledged],
  mayInterrupt: false,
};
const sounder: Facts = { ...sound, deliveries: [stored(), replay], posts: [...sound.posts, acknowledged] };
const later = { ...endpoint, webhookId: 'whe_2', registeredAt: 3_000 };
const asked = stored({ id: 'whd_2' }, 'evt_2');

describe('judge()', () => {
  it.each<[string, Partial<Facts>]>([
    ['every delivery ended as its receiver saw it', sound],
    ['a replay was posted once more', sounder],
    ['an endpoint was registered after the Run', { endpoints: [endpoint, later] }],
    ['all three attempts failed', { deliveries: [failed], posts: [refused, refused, refused] }],
    ['a worker died before it sent an attempt', { mayInterrupt: true, deliveries: [interrupted] }],
    ['an attempt ended before its connection was open', { deliveries: [unsent] }],
  ])('finds nothing when %s', (_case, given) => {
    expect(judge({ ...sound, ...given }).broken).toEqual([]);
  });

  it.each<[expected: string, Partial<Facts>]>([
    ['Delivery whd_1 is pending', { deliveries: [stored({ status: 'pending' })] }],
    ['Run run_1 has 0 deliveries for whe_1', { deliveries: [], posts: [] }],
    ['Run run_1 has 2 deliveries for whe_1', { deliveries: [stored(), stored({ id: 'whd_2' })] }],
    ['Run run_1 became 2 events', { deliveries: [stored(), asked] }],
    [
      'Event evt_1 was posted 4 times to /a, and 3 are allowed',
      { deliveries: [stored({ attempts: 4 })], posts: [refused, refused, refused, acknowledged] },
    ],
    [
      'Event evt_1 was posted 2 times to /a, and only 1 attempts are counted',
      { deliveries: [stored({ attempts: 1 })] },
    ],
    ['Event evt_1 was posted 2 times to /a, but 3 attempts are counted', { deliveries: [stored({ attempts: 3 })] }],
    [
      'Event evt_1 was posted 2 times to /a, but 3 attempts are counted',
      { deliveries: [stored({ attempts: 3, log: [{ at: 2_500, outcome: 'timed_out', ...unanswered }] })] },
    ],
    ['Delivery whd_1 was interrupted 1 times without need', { deliveries: [interrupted] }],
    ['Event evt_1 is stored as delivered, but /a did not acknowledge it', { posts: [refused, refused] }],
    ['Delivery whd_1 failed after 2 attempts', { deliveries: [stored({ status: 'failed' })] }],
    ['Event evt_1 has 2 different bodies', { posts: [refused, { ...acknowledged, body: 'other' }] }],
    [
      '/a got event evt_9, of which no delivery is stored',
      { posts: [...sound.posts, { ...refused, eventId: 'evt_9' }] },
    ],
  ])('reports: %s', (expected, given) => {
    expect(judge({ ...sound, ...given }).broken).toContain(expected);
  });

  it('counts the POSTs that the receivers got for each delivery of an event', () => {
    const ended = { delivered: 2, failed: 0, interrupted: 0 };

    expect(judge(sounder).counts).toEqual({ events: 1, deliveries: 2, posts: 3, mostPosts: 2, ...ended });
  });
});

type Given = Partial<MadeCall> & Partial<Pick<ApiCall, 'whileAway'>>;

/** A call during an outage from 1,000 to 2,000. */
function made(status: number, { whileAway = 'either', ...given }: Given = {}): MadeCall {
  const answer = { status, contentType: 'application/problem+json', body: {} };
  const call: ApiCall = { name: 'call', customer, whileAway, make: async () => answer };
  return { call, from: 1_100, to: 1_900, answer, ...given };
}

const page = { status: 502, contentType: 'text/html', body: '' };

describe('judgeCalls()', () => {
  it.each<[string, 'fine' | 'wrong', MadeCall]>([
    ['a failure that is promised', 'fine', made(500, { whileAway: 'fails' })],
    ['an answer that is promised', 'fine', made(200, { whileAway: 'works' })],
    ['an answer to a call before the outage', 'fine', made(200, { whileAway: 'fails', from: 900 })],
    ['a failure after the outage', 'fine', made(500, { whileAway: 'works', to: 2_100 })],
    ['a conflict where either may happen', 'fine', made(409)],
    ['a refused credential', 'wrong', made(401)],
    ['a denial', 'wrong', made(403, { from: 0 })],
    ['a disappearance', 'wrong', made(404, { to: 9_000 })],
    ['a success without the service', 'wrong', made(200, { whileAway: 'fails' })],
    ['a failure without need', 'wrong', made(500, { whileAway: 'works' })],
    ['no answer', 'wrong', made(500, { answer: null })],
    ['a failure that is no problem document', 'wrong', made(502, { answer: page })],
  ])('%s is %s', (_case, expected, call) => {
    expect(judgeCalls([call], { from: 1_000, to: 2_000 })).toHaveLength(expected === 'fine' ? 0 : 1);
  });

  it('a connection that broke when the stack itself was killed is fine', () => {
    expect(judgeCalls([made(500, { answer: null })], null)).toEqual([]);
  });
});
