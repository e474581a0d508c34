import { type Check, check, type Group } from '../harness/check.ts';
import type { Context } from '../harness/context.ts';
import { at, expectEqual, expectThat, show } from '../harness/expect.ts';
import { type Received, serviceHeader } from '../harness/receiver.ts';
import { allPosts } from '../scenarios/all-posts.ts';
import { allSlotsTaken, otherWave } from '../scenarios/all-slots-taken.ts';
import { nth } from '../scenarios/endpoint.ts';
import { eventsOf, journeyEvents } from '../scenarios/journey.ts';
import { mainEndpoint } from '../scenarios/main-endpoint.ts';
import {
  deliveredAtOnce,
  failing,
  lateness,
  plannedGaps,
  recovering,
  replayOfFailed,
  slowTimedOut,
} from '../scenarios/retries.ts';
import { signatures } from './signatures.ts';

const withEvents = ['receiver', 'intake'] as const;
const retried = ['receiver', 'intake', 'retries'] as const;

const types: readonly Check[] = [
  check('every settled Run is reported once, as run.completed', withEvents, async (ctx) => {
    const { facts, posts } = await journeyEvents(ctx);
    for (const { id } of [facts.completed, facts.failed, facts.partial, facts.quiet]) {
      expectEqual(`events of ${id}`, eventsOf(posts, 'run.completed', id).length, 1);
    }
  }),
  check('a written Change Report is reported as tracker.changed', withEvents, async (ctx) => {
    const { facts, posts } = await journeyEvents(ctx);
    for (const { id } of facts.changed)
      expectEqual('events', eventsOf(posts, 'tracker.changed', id).length, 1);
  }),
  check('a quiet cycle sends no tracker.changed', withEvents, async (ctx) => {
    const { facts, posts } = await journeyEvents(ctx);
    expectEqual('events', eventsOf(posts, 'tracker.changed', facts.quiet.id).length, 0);
  }),
  check('webhook.test is sent when an endpoint is registered', ['receiver'], async (ctx) => {
    const { handshake } = await mainEndpoint(ctx);
    expectEqual('type', at(handshake.json, 'type'), 'webhook.test');
  }),
  check('two events have different ids', withEvents, async (ctx) => {
    const { posts } = await journeyEvents(ctx);
    const events = posts.filter(({ json }) => at(json, 'type') !== 'webhook.test');
    const ids = new Set(events.map(({ json }) => at(json, 'id')));
    expectEqual('different ids', ids.size, events.length);
  }),
];

async function expectHeader(
  ctx: Context,
  ending: 'event-id' | 'event-type',
  member: 'id' | 'type',
): Promise<void> {
  for (const post of await allPosts(ctx)) {
    expectEqual(`x-…-${ending}`, serviceHeader(post, ending), at(post.json, member));
  }
}

const headers: readonly Check[] = [
  check('X-Service-Signature is t=<unix seconds>,v1=<hex>', ['receiver'], async (ctx) => {
    for (const post of await allPosts(ctx)) {
      const value = serviceHeader(post, 'signature') ?? '';
      expectThat(/^t=\d{10},v1=[^,=]+(,v1=[^,=]+)?$/.test(value), 't=…,v1=…', show(value));
    }
  }),
  check('X-Service-Event-Id is the id of the event', ['receiver'], (ctx) =>
    expectHeader(ctx, 'event-id', 'id'),
  ),
  check('X-Service-Event-Type is the type of the event', ['receiver'], (ctx) =>
    expectHeader(ctx, 'event-type', 'type'),
  ),
  check('a delivery says that its body is JSON', ['receiver'], async (ctx) => {
    for (const post of await allPosts(ctx)) {
      const type = post.headers.get('content-type') ?? '';
      expectThat(type.startsWith('application/json'), 'application/json', show(type));
    }
  }),
  check('a delivery carries no bearer credential', ['receiver'], async (ctx) => {
    for (const post of await allPosts(ctx)) {
      expectEqual('authorization', post.headers.get('authorization'), undefined);
    }
  }),
  check('the event id is stable across retries', retried, async (ctx) => {
    const ids = (await failing(ctx)).posts.map((post) => serviceHeader(post, 'event-id'));
    expectEqual('different ids', new Set(ids).size, 1);
  }),
  check('the event id is the same at every endpoint', retried, async (ctx) => {
    const [{ post }, { eventId }] = await Promise.all([deliveredAtOnce(ctx), failing(ctx)]);
    expectEqual('event id', serviceHeader(post, 'event-id'), eventId);
  }),
];

/** An attempt may be slightly early because of clock differences, and late because the service is busy. */
function expectGap(ctx: Context, posts: readonly Received[], index: 0 | 1): void {
  const planned = plannedGaps[index] / ctx.config.time_scale;
  const gap = (nth(posts, index + 1).at - nth(posts, index).at) / 1_000;
  const isNear = gap >= planned * 0.9 && gap <= planned * 1.25 + lateness(ctx);
  expectThat(isNear, `about ${planned} s between the attempts`, `${gap} s`);
}

const rules: readonly Check[] = [
  check('an attempt ends after 10 seconds', withEvents, async (ctx) => {
    const { given } = await slowTimedOut(ctx);
    const ms = Number(at(given.json, 'attempt_log', 0, 'duration_ms'));
    // Only a busy machine ends it late.
    const late = ctx.config.time_scale > 1 ? 1_000 * lateness(ctx) : 1_500;
    expectThat(ms > 8_500 && ms < 10_000 + late, 'about 10,000 ms', `${ms} ms`);
  }),
  check('a 3xx is not followed', ['receiver', 'other-intake'], async (ctx) => {
    expectEqual('POSTs at the target', (await otherWave(ctx)).redirected.length, 0);
  }),
  check('a 3xx counts as a failure', ['receiver', 'other-intake'], async (ctx) => {
    const { redirecting } = await otherWave(ctx);
    expectEqual('response_status', at(redirecting, 'response_status'), 302);
    expectEqual('delivered_at', at(redirecting, 'delivered_at'), null);
    expectThat(at(redirecting, 'status') !== 'delivered', 'not delivered', show(redirecting));
  }),
  check('a closed connection counts as a failure', ['receiver', 'other-intake'], async (ctx) => {
    const { cutting } = await otherWave(ctx);
    expectEqual('response_status', at(cutting, 'response_status'), null);
    expectThat(at(cutting, 'status') !== 'delivered', 'not delivered', show(cutting));
  }),
  check('there are at most 3 attempts', retried, async (ctx) => {
    const { posts, delivery } = await failing(ctx);
    expectEqual('POSTs', posts.length, 3);
    expectEqual('attempts', at(delivery, 'attempts'), 3);
  }),
  check('the second attempt is made about 10 minutes after the first', retried, async (ctx) => {
    expectGap(ctx, (await failing(ctx)).posts, 0);
  }),
  check('the third attempt is made about 50 minutes after the second', retried, async (ctx) => {
    expectGap(ctx, (await failing(ctx)).posts, 1);
  }),
  check('every attempt sends the same bytes', retried, async (ctx) => {
    const { posts } = await recovering(ctx);
    const bodies = new Set(posts.map(({ body }) => body.toString('latin1')));
    expectEqual('different bodies', bodies.size, 1);
  }),
  check('a delivered event is not sent again', retried, async (ctx) => {
    const { endpoint, posts } = await recovering(ctx);
    await replayOfFailed(ctx);
    const eventId = serviceHeader(nth(posts, 0), 'event-id');
    const all = await ctx.receiver().inbox(endpoint.mailbox);
    expectEqual('POSTs', all.filter((post) => serviceHeader(post, 'event-id') === eventId).length, 3);
  }),
  check('every attempt is a POST of the event to the registered URL', ['receiver'], async (ctx) => {
    const { endpoint, handshake } = await mainEndpoint(ctx);
    expectEqual('host', handshake.headers.get('host'), new URL(ctx.receiver().urlOf(endpoint.mailbox)).host);
    expectThat((await ctx.receiver().inbox(endpoint.mailbox)).length > 0, 'a POST', 'none');
  }),
  check(
    'an endpoint receives only the events of its customer',
    ['receiver', 'intake', 'other-intake'],
    async (ctx) => {
      const [{ main }, { run }, { facts }] = await Promise.all([
        allSlotsTaken(ctx),
        otherWave(ctx),
        journeyEvents(ctx),
      ]);
      const posts = await ctx.receiver().inbox(main.mailbox);
      const runIds = posts.flatMap(({ json }) => [at(json, 'run_id')].filter((id) => id !== undefined));
      expectEqual('Runs reported', runIds, [run.id]);
      expectThat(!runIds.includes(facts.completed.id), 'no Run of another customer', show(runIds));
    },
  ),
];

const group = (section: string, checks: readonly Check[]): Group => ({ heading: 'Events', section, checks });

export const events: readonly Group[] = [
  group('Event types', types),
  group('Headers sent with each delivery', headers),
  group('Signature rules', signatures),
  group('Delivery rules', rules),
];
