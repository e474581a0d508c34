import { type Check, check, checkOf, checksOf, groupsOf } from '../harness/check.ts';
import { expectEqual, expectThat, show } from '../harness/expect.ts';
import { at, expectMembers } from '../harness/json.ts';
import type { Received } from '../harness/receiver.ts';
import type { Context } from '../harness/session.ts';
import { allSlotsTaken, otherWave } from '../scenarios/all-slots-taken.ts';
import { nth } from '../scenarios/endpoint.ts';
import { allPosts, mainEndpoint } from '../scenarios/endpoints.ts';
import { eventsOf, journeyEvents } from '../scenarios/journey.ts';
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
import { serviceHeader } from './verify.ts';

const types: readonly Check[] = [
  ...checksOf(journeyEvents, {
    'every settled Run is reported once, as run.completed': ({ facts, posts }) => {
      for (const { id } of [facts.completed, facts.failed, facts.partial, facts.quiet]) {
        expectEqual(`events of ${id}`, eventsOf(posts, 'run.completed', id).length, 1);
      }
    },
    'a written Change Report is reported as tracker.changed': ({ facts, posts }) => {
      for (const { id } of facts.changed) {
        expectEqual('events', eventsOf(posts, 'tracker.changed', id).length, 1);
      }
    },
    'a quiet cycle sends no tracker.changed': ({ facts, posts }) =>
      expectEqual('events', eventsOf(posts, 'tracker.changed', facts.quiet.id).length, 0),
  }),
  checkOf('webhook.test is sent when an endpoint is registered', mainEndpoint, ({ handshake }) =>
    expectMembers(handshake.json, { type: 'webhook.test' }),
  ),
  checkOf('two events have different ids', journeyEvents, ({ posts }) => {
    const events = posts.filter(({ json }) => at(json, 'type') !== 'webhook.test');
    const ids = new Set(events.map(({ json }) => at(json, 'id')));
    expectEqual('different ids', ids.size, events.length);
  }),
];

function expectHeader(posts: readonly Received[], ending: 'event-id' | 'event-type', member: 'id' | 'type'): void {
  for (const post of posts) expectEqual(`x-…-${ending}`, serviceHeader(post, ending), at(post.json, member));
}

const headers: readonly Check[] = [
  ...checksOf(allPosts, {
    'X-Service-Signature is t=<unix seconds>,v1=<hex>': (posts) => {
      for (const post of posts) {
        const value = serviceHeader(post, 'signature') ?? '';
        expectThat(/^t=\d{10},v1=[^,=]+(,v1=[^,=]+)?$/.test(value), 't=…,v1=…', show(value));
      }
    },
    'X-Service-Event-Id is the id of the event': (posts) => expectHeader(posts, 'event-id', 'id'),
    'X-Service-Event-Type is the type of the event': (posts) => expectHeader(posts, 'event-type', 'type'),
    'a delivery says that its body is JSON': (posts) => {
      for (const post of posts) {
        const type = post.headers.get('content-type') ?? '';
        expectThat(type.startsWith('application/json'), 'application/json', show(type));
      }
    },
    'a delivery carries no bearer credential': (posts) => {
      for (const post of posts) expectEqual('authorization', post.headers.get('authorization'), undefined);
    },
  }),
  checkOf('the event id is stable across retries', failing, ({ posts }) => {
    const ids = posts.map((post) => serviceHeader(post, 'event-id'));
    expectEqual('different ids', new Set(ids).size, 1);
  }),
  checkOf('the event id is the same at every endpoint', failing, async ({ eventId }, ctx) => {
    const { post } = await deliveredAtOnce(ctx);
    expectEqual('event id', serviceHeader(post, 'event-id'), eventId);
  }),
];

/** An attempt may be slightly early because of clock differences, and late because the service is busy. */
function expectGap(ctx: Context, posts: readonly Received[], index: 0 | 1): void {
  const planned = plannedGaps[index] / ctx.config.time_scale;
  const gap = (nth(posts, index + 1).at - nth(posts, index).at) / 1_000;
  const isNear = gap >= planned * 0.85 && gap <= planned * 1.25 + lateness(ctx);
  expectThat(isNear, `about ${planned} s between the attempts`, `${gap} s`);
}

const rules: readonly Check[] = [
  checkOf('an attempt ends after 10 seconds', slowTimedOut, ({ given }, ctx) => {
    const ms = Number(at(given.json, 'attempt_log', 0, 'duration_ms'));
    // Only a busy machine ends it late.
    const late = ctx.config.time_scale > 1 ? 1_000 * lateness(ctx) : 1_500;
    expectThat(ms > 8_500 && ms < 10_000 + late, 'about 10,000 ms', `${ms} ms`);
  }),
  ...checksOf(otherWave, {
    'a 3xx is not followed': ({ redirected }) => expectEqual('POSTs at the target', redirected.length, 0),
    'a 3xx counts as a failure': ({ redirecting }) => {
      expectMembers(redirecting, { response_status: 302, delivered_at: null });
      expectThat(at(redirecting, 'status') !== 'delivered', 'not delivered', show(redirecting));
    },
    'a closed connection counts as a failure': ({ cutting }) => {
      expectMembers(cutting, { response_status: null });
      expectThat(at(cutting, 'status') !== 'delivered', 'not delivered', show(cutting));
    },
  }),
  ...checksOf(failing, {
    'there are at most 3 attempts': ({ posts, delivery }) => {
      expectEqual('POSTs', posts.length, 3);
      expectMembers(delivery, { attempts: 3 });
    },
    'the second attempt is made about 10 minutes after the first': ({ posts }, ctx) => expectGap(ctx, posts, 0),
    'the third attempt is made about 50 minutes after the second': ({ posts }, ctx) => expectGap(ctx, posts, 1),
  }),
  ...checksOf(recovering, {
    'every attempt sends the same bytes': ({ posts }) => {
      const bodies = new Set(posts.map(({ body }) => body.toString('latin1')));
      expectEqual('different bodies', bodies.size, 1);
    },
    'a delivered event is not sent again': async ({ endpoint, posts }, ctx) => {
      await replayOfFailed(ctx);
      const eventId = serviceHeader(nth(posts, 0), 'event-id');
      const all = await ctx.receiver().inbox(endpoint.mailbox);
      expectEqual('POSTs', all.filter((post) => serviceHeader(post, 'event-id') === eventId).length, 3);
    },
  }),
  ...checksOf(mainEndpoint, {
    'every attempt is a POST of the event to the registered URL': async ({ endpoint, handshake }, ctx) => {
      const { host } = new URL(ctx.receiver().urlOf(endpoint.mailbox));
      expectEqual('host', handshake.headers.get('host'), host);
      expectThat((await ctx.receiver().inbox(endpoint.mailbox)).length > 0, 'a POST', 'none');
    },
  }),
  check(
    'an endpoint receives only the events of its customer',
    ['receiver', 'intake', 'intake.other_customer_id'],
    async (ctx) => {
      const [{ main }, { run }, { facts }] = await Promise.all([
        allSlotsTaken(ctx),
        otherWave(ctx),
        journeyEvents(ctx),
      ]);
      const posts = await ctx.receiver().inbox(main.mailbox);
      const runIds = posts.map(({ json }) => at(json, 'run_id')).filter((id) => id !== undefined);
      expectEqual('Runs reported', runIds, [run.id]);
      expectThat(!runIds.includes(facts.completed.id), 'no Run of another customer', show(runIds));
    },
  ),
];

export const events = groupsOf('Events', {
  'Event types': types,
  'Headers sent with each delivery': headers,
  'Signature rules': signatures,
  'Delivery rules': rules,
});
