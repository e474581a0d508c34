import { type Check, checkOf, checksOf, groupsOf } from '../harness/check.ts';
import { expectEqual, expectThat, show } from '../harness/expect.ts';
import { at, expectListed, expectMembers, listAt, textAt } from '../harness/json.ts';
import { failedHandshake, otherWave, slotReuse } from '../scenarios/all-slots-taken.ts';
import { nth, pathOf } from '../scenarios/endpoint.ts';
import { deletion, mainRecords, replays, rotation } from '../scenarios/endpoints.ts';
import { journeyEvents } from '../scenarios/journey.ts';
import {
  afterDeletion,
  deliveredAtOnce,
  failing,
  recovering,
  replayOfFailed,
  slowDeleted,
  slowFirst,
  slowTimedOut,
} from '../scenarios/retries.ts';
import { eventTypes, is } from './fields.ts';
import { expectProblem, expectStatus } from './problems.ts';

const webhook: readonly Check[] = [
  checkOf('an endpoint whose handshake is answered 2xx becomes active', mainRecords, ({ endpoint, read }) => {
    expectMembers(at(endpoint.registered.json, 'webhook'), { status: 'active' });
    expectMembers(read.json, { status: 'active' });
  }),
  checkOf('an active endpoint receives every event of its customer', journeyEvents, ({ posts }) => {
    const types = [...new Set(posts.map(({ json }) => at(json, 'type')))].toSorted();
    expectEqual('types received', types, eventTypes);
  }),
  ...checksOf(failedHandshake, {
    'an endpoint whose handshake is not answered 2xx becomes failed': ({ registered, read }) => {
      expectMembers(at(registered.json, 'webhook'), { status: 'failed' });
      expectMembers(read.json, { status: 'failed' });
    },
  }),
  checkOf('a failed endpoint receives nothing', otherWave, ({ failedPosts }) =>
    expectEqual('POSTs', failedPosts.length, 1),
  ),
  ...checksOf(slotReuse, {
    'a failed endpoint never becomes active by itself': ({ failedBefore }) =>
      expectMembers(failedBefore.json, { status: 'failed' }),
    'a failed endpoint can be deleted and registered again': async ({ freed }, ctx) => {
      const { registered } = await failedHandshake(ctx);
      expectMembers(at(freed.json, 'webhook'), { status: 'active' });
      const id = at(registered.json, 'webhook', 'id');
      expectThat(id !== at(freed.json, 'webhook', 'id'), 'a new endpoint', id);
    },
  }),
  checkOf('an endpoint stays active when deliveries fail', replayOfFailed, ({ webhook: read }) =>
    expectMembers(read.json, { status: 'active' }),
  ),
  ...checksOf(rotation, {
    'a rotation leaves the endpoint active': ({ rotated, read }) => {
      expectMembers(at(rotated.json, 'webhook'), { status: 'active' });
      expectMembers(read.json, { status: 'active' });
    },
    'a rotation inside the overlap changes nothing': ({ read, again, readAgain }) => {
      expectProblem(again, 'webhook_rotation_in_progress');
      for (const name of ['secret_prefix', 'previous_secret_expires_at', 'status']) {
        expectEqual(name, at(readAgain.json, name), at(read.json, name));
      }
    },
  }),
  checkOf('a deleted endpoint receives nothing more', afterDeletion, (posts) => expectEqual('POSTs', posts.length, 0)),
  checkOf('a deleted endpoint can still be read, as deleted', deletion, ({ read }) => {
    expectStatus(read, 200);
    expectMembers(read.json, { status: 'deleted' });
  }),
  checkOf('a failed endpoint can be deleted too', failedHandshake, async ({ endpoint }, ctx) => {
    await slotReuse(ctx);
    expectMembers((await ctx.other.get(pathOf(endpoint))).json, { status: 'deleted' });
  }),
];

const delivery: readonly Check[] = [
  checkOf('a 2xx within 10 seconds makes a delivery delivered', deliveredAtOnce, ({ delivery: seen }) => {
    expectMembers(seen, { status: 'delivered', attempts: 1 });
    expectThat(is.timestamp(at(seen, 'delivered_at')), 'delivered_at', show(seen));
  }),
  checkOf('another 2xx than 200 counts too, also after 7 seconds', otherWave, ({ timely }, { config }) => {
    expectMembers(timely, { status: 'delivered', response_status: 204 });
    // Where everything shares one machine, a busy one lets an attempt end without the response, after its ten seconds.
    const isLate = (entry: unknown) => config.time_scale > 1 && Number(at(entry, 'duration_ms')) >= 10_000;
    const attempts = listAt(timely, 'attempt_log').filter((entry) => !isLate(entry));
    expectEqual('attempts', attempts.length, 1);
  }),
  checkOf('a delivery is pending while its attempt runs', slowFirst, ({ during }) =>
    expectMembers(during.json, { status: 'pending', attempts: 1 }),
  ),
  checkOf('an answer after 10 seconds is a failure', slowTimedOut, ({ given }) => {
    expectMembers(given.json, { response_status: null });
    expectThat(textAt(given.json, 'error') !== '', 'an error', show(given.json));
    expectEqual('status', textAt(given.json, 'status'), 'pending');
  }),
  checkOf('a delivery of which an attempt has failed is listed as retrying', slowTimedOut, ({ id, retrying }) => {
    expectStatus(retrying, 200);
    expectListed(retrying.json, id);
  }),
  checkOf('a failed attempt leaves the delivery pending while attempts remain', slowDeleted, ({ second }) =>
    expectMembers(second.json, { status: 'pending', attempts: 2, failed_at: null }),
  ),
  checkOf('a 2xx on a later attempt makes the delivery delivered', recovering, ({ delivery: seen }) =>
    expectMembers(seen, { status: 'delivered', attempts: 3, response_status: 200, error: null }),
  ),
  checkOf('a failure on the third attempt makes the delivery failed', failing, ({ delivery: seen }) => {
    expectMembers(seen, { status: 'failed', attempts: 3 });
    expectThat(is.timestamp(at(seen, 'failed_at')), 'failed_at', show(seen));
  }),
  checkOf('a failed handshake ends its delivery at once', failedHandshake, ({ registered }) =>
    expectMembers(at(registered.json, 'test_delivery'), { status: 'failed', attempts: 1 }),
  ),
  checkOf('a replay leaves the delivered delivery unchanged', replays, ({ before, after }) =>
    expectEqual('the replayed delivery', after.json, before.json),
  ),
  checkOf('a replay leaves the failed delivery unchanged', replayOfFailed, ({ before, after }) => {
    for (const [name, value] of Object.entries(Object(before))) expectEqual(name, at(after.json, name), value);
  }),
  checkOf('a refused replay leaves the pending delivery unchanged', slowFirst, ({ id, afterRefusal }) => {
    const seen = afterRefusal.filter((item) => at(item, 'event_type') !== 'webhook.test');
    const ofReplay = afterRefusal.filter((item) => at(item, 'replay_of') === id);
    expectEqual('replays', ofReplay.length, 0);
    expectMembers(nth(seen, 0), { status: 'pending' });
  }),
  ...checksOf(slowDeleted, {
    'a deleted endpoint ends its pending deliveries as failed, without a POST': ({ ended, posts }) => {
      expectMembers(ended, { status: 'failed' });
      expectEqual('POSTs', posts.length, 2);
    },
  }),
];

const runs: readonly Check[] = [
  ...(['completed', 'partial', 'failed'] as const).map((outcome) =>
    checkOf(`a Run that ended as ${outcome} is reported as ${outcome}`, journeyEvents, ({ facts, posts }) => {
      const event = posts.find(({ json }) => at(json, 'run_id') === facts[outcome].id);
      expectMembers(event?.json, { status: outcome });
    }),
  ),
  checkOf('a Run that is still running is not reported', journeyEvents, ({ facts, posts }) => {
    const early = [facts.running.id, facts.queued.id];
    const reported = posts.filter(({ json }) => early.includes(String(at(json, 'run_id'))));
    expectEqual('events', reported.length, 0);
  }),
];

export const states = groupsOf('States and transitions', {
  'Webhook status': webhook,
  'Delivery status': delivery,
  'Run outcomes': runs,
});
