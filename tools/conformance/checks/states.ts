import { type Check, check, type Group } from '../harness/check.ts';
import { at, expectEqual, expectThat, listAt, show, textAt } from '../harness/expect.ts';
import { failedHandshake, otherWave, slotReuse } from '../scenarios/all-slots-taken.ts';
import { deletion } from '../scenarios/deletion.ts';
import { nth } from '../scenarios/endpoint.ts';
import { journeyEvents } from '../scenarios/journey.ts';
import { mainRecords, replays } from '../scenarios/main-endpoint.ts';
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
import { rotation } from '../scenarios/rotation.ts';
import { eventTypes, isTimestamp } from './fields.ts';
import { expectProblem, expectStatus } from './problems.ts';

const webhook: readonly Check[] = [
  check('an endpoint whose handshake is answered 2xx becomes active', ['receiver'], async (ctx) => {
    const { endpoint, read } = await mainRecords(ctx);
    expectEqual('status', at(endpoint.registered.json, 'webhook', 'status'), 'active');
    expectEqual('status', at(read.json, 'status'), 'active');
  }),
  check('an active endpoint receives every event of its customer', ['receiver', 'intake'], async (ctx) => {
    const { posts } = await journeyEvents(ctx);
    const types = [...new Set(posts.map(({ json }) => at(json, 'type')))].toSorted();
    expectEqual('types received', types, eventTypes);
  }),
  check('an endpoint whose handshake is not answered 2xx becomes failed', ['receiver'], async (ctx) => {
    const { registered, read } = await failedHandshake(ctx);
    expectEqual('status', at(registered.json, 'webhook', 'status'), 'failed');
    expectEqual('status', at(read.json, 'status'), 'failed');
  }),
  check('a failed endpoint receives nothing', ['receiver', 'other-intake'], async (ctx) => {
    const { failedPosts } = await otherWave(ctx);
    expectEqual('POSTs', failedPosts.length, 1);
  }),
  check('a failed endpoint never becomes active by itself', ['receiver'], async (ctx) => {
    const { failedBefore } = await slotReuse(ctx);
    expectEqual('status', at(failedBefore.json, 'status'), 'failed');
  }),
  check('a failed endpoint can be deleted and registered again', ['receiver'], async (ctx) => {
    const { freed } = await slotReuse(ctx);
    const { registered } = await failedHandshake(ctx);
    expectEqual('status', at(freed.json, 'webhook', 'status'), 'active');
    const id = at(registered.json, 'webhook', 'id');
    expectThat(id !== at(freed.json, 'webhook', 'id'), 'a new endpoint', id);
  }),
  check('an endpoint stays active when deliveries fail', ['receiver', 'intake', 'retries'], async (ctx) => {
    expectEqual('status', at((await replayOfFailed(ctx)).webhook.json, 'status'), 'active');
  }),
  check('a rotation leaves the endpoint active', ['receiver'], async (ctx) => {
    const { rotated, read } = await rotation(ctx);
    expectEqual('status', at(rotated.json, 'webhook', 'status'), 'active');
    expectEqual('status', at(read.json, 'status'), 'active');
  }),
  check('a rotation inside the overlap changes nothing', ['receiver'], async (ctx) => {
    const { read, again, readAgain } = await rotation(ctx);
    expectProblem(again, 409, 'webhook_rotation_in_progress');
    for (const name of ['secret_prefix', 'previous_secret_expires_at', 'status']) {
      expectEqual(name, at(readAgain.json, name), at(read.json, name));
    }
  }),
  check('a deleted endpoint receives nothing more', ['receiver', 'intake'], async (ctx) => {
    expectEqual('POSTs', (await afterDeletion(ctx)).length, 0);
  }),
  check('a deleted endpoint can still be read, as deleted', ['receiver'], async (ctx) => {
    const { read } = await deletion(ctx);
    expectStatus(read, 200);
    expectEqual('status', at(read.json, 'status'), 'deleted');
  }),
  check('a failed endpoint can be deleted too', ['receiver'], async (ctx) => {
    const { endpoint } = await failedHandshake(ctx);
    await slotReuse(ctx);
    expectEqual('status', at((await ctx.other.get(`/v1/webhooks/${endpoint.id}`)).json, 'status'), 'deleted');
  }),
];

const retried = ['receiver', 'intake', 'retries'] as const;

const delivery: readonly Check[] = [
  check('a 2xx within 10 seconds makes a delivery delivered', ['receiver', 'intake'], async (ctx) => {
    const { delivery: seen } = await deliveredAtOnce(ctx);
    expectEqual('status', at(seen, 'status'), 'delivered');
    expectEqual('attempts', at(seen, 'attempts'), 1);
    expectThat(isTimestamp(at(seen, 'delivered_at')), 'delivered_at', show(seen));
  }),
  check(
    'another 2xx than 200 counts too, also after 7 seconds',
    ['receiver', 'other-intake'],
    async (ctx) => {
      const { timely } = await otherWave(ctx);
      expectEqual('status', at(timely, 'status'), 'delivered');
      expectEqual('response_status', at(timely, 'response_status'), 204);
      // Where everything shares one machine, a busy one lets an attempt end without the answer, after its ten seconds.
      const isLate = (entry: unknown) =>
        ctx.config.time_scale > 1 && Number(at(entry, 'duration_ms')) >= 10_000;
      const attempts = listAt(timely, 'attempt_log').filter((entry) => !isLate(entry));
      expectEqual('attempts', attempts.length, 1);
    },
  ),
  check('a delivery is pending while its attempt runs', ['receiver', 'intake'], async (ctx) => {
    const { during } = await slowFirst(ctx);
    expectEqual('status', at(during.json, 'status'), 'pending');
    expectEqual('attempts', at(during.json, 'attempts'), 1);
  }),
  check('an answer after 10 seconds is a failure', ['receiver', 'intake'], async (ctx) => {
    const { given } = await slowTimedOut(ctx);
    expectEqual('response_status', at(given.json, 'response_status'), null);
    expectThat(textAt(given.json, 'error') !== '', 'an error', show(given.json));
    const status = textAt(given.json, 'status');
    expectEqual('status', status, 'pending');
  }),
  check('a failed attempt leaves the delivery pending while attempts remain', retried, async (ctx) => {
    const { second } = await slowDeleted(ctx);
    expectEqual('status', at(second.json, 'status'), 'pending');
    expectEqual('attempts', at(second.json, 'attempts'), 2);
    expectEqual('failed_at', at(second.json, 'failed_at'), null);
  }),
  check('a 2xx on a later attempt makes the delivery delivered', retried, async (ctx) => {
    const { delivery: seen } = await recovering(ctx);
    expectEqual('status', at(seen, 'status'), 'delivered');
    expectEqual('attempts', at(seen, 'attempts'), 3);
    expectEqual('response_status', at(seen, 'response_status'), 200);
    expectEqual('error', at(seen, 'error'), null);
  }),
  check('a failure on the third attempt makes the delivery failed', retried, async (ctx) => {
    const { delivery: seen } = await failing(ctx);
    expectEqual('status', at(seen, 'status'), 'failed');
    expectEqual('attempts', at(seen, 'attempts'), 3);
    expectThat(isTimestamp(at(seen, 'failed_at')), 'failed_at', show(seen));
  }),
  check('a failed handshake ends its delivery at once', ['receiver'], async (ctx) => {
    const { registered } = await failedHandshake(ctx);
    expectEqual('status', at(registered.json, 'test_delivery', 'status'), 'failed');
    expectEqual('attempts', at(registered.json, 'test_delivery', 'attempts'), 1);
  }),
  check('a replay leaves the delivered delivery unchanged', ['receiver'], async (ctx) => {
    const { before, after } = await replays(ctx);
    expectEqual('the replayed delivery', after.json, before.json);
  }),
  check('a replay leaves the failed delivery unchanged', retried, async (ctx) => {
    const { before, after } = await replayOfFailed(ctx);
    for (const [name, value] of Object.entries(Object(before)))
      expectEqual(name, at(after.json, name), value);
  }),
  check('a refused replay leaves the pending delivery unchanged', ['receiver', 'intake'], async (ctx) => {
    const { id, afterRefusal } = await slowFirst(ctx);
    const seen = afterRefusal.filter((item) => at(item, 'event_type') !== 'webhook.test');
    const ofReplay = afterRefusal.filter((item) => at(item, 'replay_of') === id);
    expectEqual('replays', ofReplay.length, 0);
    expectEqual('status', at(nth(seen, 0), 'status'), 'pending');
  }),
  check('a deleted endpoint ends its pending deliveries as failed, without a POST', retried, async (ctx) => {
    const { ended, posts } = await slowDeleted(ctx);
    expectEqual('status', at(ended, 'status'), 'failed');
    expectEqual('POSTs', posts.length, 2);
  }),
];

const runs: readonly Check[] = [
  ...(['completed', 'partial', 'failed'] as const).map((outcome) =>
    check(`a Run that ended as ${outcome} is reported as ${outcome}`, ['receiver', 'intake'], async (ctx) => {
      const { facts, posts } = await journeyEvents(ctx);
      const event = posts.find(({ json }) => at(json, 'run_id') === facts[outcome].id);
      expectEqual('status', at(event?.json, 'status'), outcome);
    }),
  ),
  check('a Run that is still running is not reported', ['receiver', 'intake'], async (ctx) => {
    const { facts, posts } = await journeyEvents(ctx);
    const early = [facts.running.id, facts.queued.id];
    const reported = posts.filter(({ json }) => early.includes(String(at(json, 'run_id'))));
    expectEqual('events', reported.length, 0);
  }),
];

export const webhookStates: Group = {
  heading: 'States and transitions',
  section: 'Webhook status',
  checks: webhook,
};
export const deliveryStates: Group = {
  heading: 'States and transitions',
  section: 'Delivery status',
  checks: delivery,
};
export const runStates: Group = {
  heading: 'States and transitions',
  section: 'Run outcomes',
  checks: runs,
};
