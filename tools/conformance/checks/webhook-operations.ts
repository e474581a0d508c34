import { type Check, check, type Group } from '../harness/check.ts';
import { at, expectEqual, expectThat, isRecord, listAt, show, textAt } from '../harness/expect.ts';
import { serviceHeader } from '../harness/receiver.ts';
import { failedHandshake } from '../scenarios/all-slots-taken.ts';
import { deletion } from '../scenarios/deletion.ts';
import { pathOf, testDeliveryId } from '../scenarios/endpoint.ts';
import { history } from '../scenarios/lists.ts';
import { mainEndpoint, mainRecords, replays } from '../scenarios/main-endpoint.ts';
import { replayOfFailed, slowFirst } from '../scenarios/retries.ts';
import { rotation } from '../scenarios/rotation.ts';
import { isTimestamp } from './fields.ts';
import { expectProblem, expectStatus } from './problems.ts';

const needs = ['receiver'] as const;
const day = 24 * 60 * 60 * 1_000;

const deliveries: readonly Check[] = [
  check('the deliveries of an endpoint are answered 200', needs, async (ctx) => {
    expectStatus((await mainRecords(ctx)).deliveries, 200);
  }),
  check('the deliveries of a deleted endpoint stay readable', needs, async (ctx) => {
    const { endpoint, deliveries: page, delivery } = await deletion(ctx);
    expectStatus(page, 200);
    const ids = listAt(page.json, 'items').map((item) => at(item, 'id'));
    expectThat(ids.includes(testDeliveryId(endpoint)), `a list with ${testDeliveryId(endpoint)}`, show(ids));
    expectStatus(delivery, 200);
  }),
  check('deliveries can be filtered by status', needs, async (ctx) => {
    const { path } = await history(ctx);
    const failed = await ctx.customer.get(`${path}?status=failed`);
    expectStatus(failed, 200);
    const statuses = listAt(failed.json, 'items').map((item) => at(item, 'status'));
    expectThat(
      statuses.every((status) => status === 'failed'),
      'failed deliveries alone',
      show(statuses),
    );
  }),
  check('deliveries can be filtered by event type', needs, async (ctx) => {
    const { path } = await history(ctx);
    const page = await ctx.customer.get(`${path}?event_type=webhook.test&limit=5`);
    expectStatus(page, 200);
    const types = listAt(page.json, 'items').map((item) => at(item, 'event_type'));
    expectEqual(
      'event types',
      types,
      Array.from({ length: 5 }, () => 'webhook.test'),
    );
  }),
  check('a filter with an unknown value is refused', needs, async (ctx) => {
    const { path } = await history(ctx);
    expectProblem(await ctx.customer.get(`${path}?status=lost`), 400, 'invalid_request');
    expectProblem(await ctx.customer.get(`${path}?event_type=run.started`), 400, 'invalid_request');
  }),
  check('a single delivery has a log with one entry for each attempt', needs, async (ctx) => {
    const { delivery } = await mainRecords(ctx);
    const log = listAt(delivery.json, 'attempt_log');
    expectEqual('entries', log.length, 1);
    const entry = log[0];
    expectThat(isTimestamp(at(entry, 'at')), 'at: a timestamp', show(entry));
    expectThat(Number.isInteger(at(entry, 'duration_ms')), 'duration_ms: an integer', show(entry));
    expectThat(isRecord(at(entry, 'timings')), 'timings: an object', show(entry));
    expectEqual('response_status', at(entry, 'response_status'), 200);
    expectEqual('error', at(entry, 'error'), null);
  }),
  check('the body of a single delivery is the exact text that was sent', needs, async (ctx) => {
    const [{ delivery }, { handshake }] = await Promise.all([mainRecords(ctx), mainEndpoint(ctx)]);
    expectEqual('body', at(delivery.json, 'body'), handshake.body.toString());
  }),
  check('a delivery that has ended has no next attempt', needs, async (ctx) => {
    const { delivery, deliveries: page } = await mainRecords(ctx);
    expectEqual('next_attempt_at', at(delivery.json, 'next_attempt_at'), null);
    expectEqual('next_attempt_at', at(page.json, 'items', 0, 'next_attempt_at'), null);
  }),
];

const replaying: readonly Check[] = [
  check('a replay answers 202 with a pending delivery', needs, async (ctx) => {
    const { accepted } = await replays(ctx);
    expectStatus(accepted, 202);
    expectEqual('status', at(accepted.json, 'delivery', 'status'), 'pending');
  }),
  check('a replay begins with 0 attempts and no response', needs, async (ctx) => {
    const delivery = at((await replays(ctx)).accepted.json, 'delivery');
    expectEqual('attempts', at(delivery, 'attempts'), 0);
    for (const name of ['response_status', 'error', 'last_attempt_at', 'delivered_at', 'failed_at']) {
      expectEqual(name, at(delivery, name), null);
    }
  }),
  check('replay_of of a replay is the replayed delivery', needs, async (ctx) => {
    const { accepted, original } = await replays(ctx);
    expectEqual('replay_of', at(accepted.json, 'delivery', 'replay_of'), original);
  }),
  check('a replay is a new delivery', needs, async (ctx) => {
    const { replayId, original } = await replays(ctx);
    expectThat(replayId !== original, 'another id', replayId);
  }),
  check('a replay has the event id of its original', needs, async (ctx) => {
    const { accepted, before, handshake, posts } = await replays(ctx);
    expectEqual('event_id', at(accepted.json, 'delivery', 'event_id'), at(before.json, 'event_id'));
    const sent = posts.map((post) => serviceHeader(post, 'event-id'));
    const wanted = serviceHeader(handshake, 'event-id');
    expectThat(sent.length >= 2 && sent.every((id) => id === wanted), `event id ${show(wanted)}`, show(sent));
  }),
  check('a replay sends the exact bytes of its original', needs, async (ctx) => {
    const { posts, handshake } = await replays(ctx);
    expectThat(
      posts.length >= 2,
      `the bytes ${show(handshake.body.toString())} again`,
      'other bytes, or no POST',
    );
  }),
  check('a replay is delivered like any other delivery', needs, async (ctx) => {
    const { delivered } = await replays(ctx);
    expectEqual('status', at(delivered, 'status'), 'delivered');
    expectEqual('attempts', at(delivered, 'attempts'), 1);
  }),
  check('replay_of of a replayed replay is that replay', needs, async (ctx) => {
    const { again, replayId } = await replays(ctx);
    expectStatus(again, 202);
    expectEqual('replay_of', at(again.json, 'delivery', 'replay_of'), replayId);
  }),
  check('a failed delivery can be replayed', ['receiver', 'intake', 'retries'], async (ctx) => {
    const { accepted, id, post, posts } = await replayOfFailed(ctx);
    expectStatus(accepted, 202);
    expectEqual('replay_of', at(accepted.json, 'delivery', 'replay_of'), id);
    expectThat(post.body.equals(posts[0]?.body ?? Buffer.alloc(0)), 'the same bytes', post.body.toString());
  }),
  check('a delivery still being attempted cannot be replayed', ['receiver', 'intake'], async (ctx) => {
    expectProblem((await slowFirst(ctx)).refused, 409, 'delivery_in_progress');
  }),
  check('nothing is replayed to a failed endpoint', needs, async (ctx) => {
    expectProblem((await failedHandshake(ctx)).replayed, 409, 'webhook_not_active');
  }),
  check('nothing is replayed to a deleted endpoint', needs, async (ctx) => {
    expectProblem((await deletion(ctx)).replayed, 409, 'webhook_not_active');
  }),
  check('a delivery can be replayed only through its own endpoint', needs, async (ctx) => {
    const [{ endpoint }, { endpoint: other }] = await Promise.all([mainRecords(ctx), rotation(ctx)]);
    const path = `${pathOf(other)}/deliveries/${testDeliveryId(endpoint)}`;
    expectProblem(await ctx.customer.post(`${path}/replay`), 404, 'not_found');
    expectProblem(await ctx.customer.get(path), 404, 'not_found');
  }),
];

const rotating: readonly Check[] = [
  check('a rotation answers 200 with webhook, secret and overlap_expires_at', needs, async (ctx) => {
    const { rotated } = await rotation(ctx);
    expectStatus(rotated, 200);
    expectThat(isRecord(at(rotated.json, 'webhook')), 'webhook: an object', 'something else');
    expectThat(typeof at(rotated.json, 'secret') === 'string', 'secret: a string', 'something else');
    const expiry = at(rotated.json, 'overlap_expires_at');
    expectThat(isTimestamp(expiry), 'overlap_expires_at: a timestamp', show(expiry));
  }),
  check('a rotation mints a new secret', needs, async (ctx) => {
    const { endpoint, newSecret } = await rotation(ctx);
    expectThat(newSecret !== endpoint.secret, 'another secret', 'the old one');
  }),
  check('the old secret stays valid for 24 hours', needs, async (ctx) => {
    const { rotated, startedAt } = await rotation(ctx);
    const length = Date.parse(textAt(rotated.json, 'overlap_expires_at')) - startedAt;
    expectThat(Math.abs(length - day) < 60_000, '24 hours from now', `${length / 3_600_000} hours`);
  }),
  check('overlap_expires_at is previous_secret_expires_at', needs, async (ctx) => {
    const { rotated, read } = await rotation(ctx);
    const expiry = at(rotated.json, 'overlap_expires_at');
    expectEqual(
      'previous_secret_expires_at',
      at(rotated.json, 'webhook', 'previous_secret_expires_at'),
      expiry,
    );
    expectEqual('previous_secret_expires_at', at(read.json, 'previous_secret_expires_at'), expiry);
  }),
  check('a second rotation inside the overlap is refused', needs, async (ctx) => {
    expectProblem((await rotation(ctx)).again, 409, 'webhook_rotation_in_progress');
  }),
  check('a failed endpoint cannot be rotated', needs, async (ctx) => {
    expectProblem((await failedHandshake(ctx)).rotated, 409, 'webhook_not_active');
  }),
];

const deleting: readonly Check[] = [
  check('a deletion answers 204 without a body', needs, async (ctx) => {
    const { deleted } = await deletion(ctx);
    expectStatus(deleted, 204);
    expectEqual('bytes', deleted.bytes.length, 0);
  }),
  check('no list contains a deleted endpoint', needs, async (ctx) => {
    const { endpoint, listed } = await deletion(ctx);
    const ids = listAt(listed.json, 'items').map((item) => at(item, 'id'));
    expectThat(!ids.includes(endpoint.id), `a list without ${endpoint.id}`, show(ids));
  }),
  check('a second deletion answers not_found', needs, async (ctx) => {
    expectProblem((await deletion(ctx)).deletedAgain, 404, 'not_found');
  }),
  check('a deleted endpoint cannot be rotated', needs, async (ctx) => {
    expectProblem((await deletion(ctx)).rotated, 404, 'not_found');
  }),
];

const reading: readonly Check[] = [
  check('one endpoint can be read, as the bare record', needs, async (ctx) => {
    const { endpoint, read } = await mainRecords(ctx);
    expectStatus(read, 200);
    expectEqual('id', at(read.json, 'id'), endpoint.id);
  }),
  check('one delivery can be read, as the bare record', needs, async (ctx) => {
    const { endpoint, delivery } = await mainRecords(ctx);
    expectStatus(delivery, 200);
    expectEqual('id', at(delivery.json, 'id'), testDeliveryId(endpoint));
  }),
  check('the endpoints of the customer can be listed', needs, async (ctx) => {
    const { endpoint, listed } = await mainRecords(ctx);
    expectStatus(listed, 200);
    const ids = listAt(listed.json, 'items').map((item) => at(item, 'id'));
    expectThat(ids.includes(endpoint.id), `a list with ${endpoint.id}`, show(ids));
  }),
];

const group = (section: string, checks: readonly Check[]): Group => ({
  heading: 'Endpoints',
  section,
  checks,
});

export const webhookOperations: readonly Group[] = [
  group('GET /v1/webhooks/{id}/deliveries', deliveries),
  group('POST /v1/webhooks/{id}/deliveries/{deliveryId}/replay', replaying),
  group('POST /v1/webhooks/{id}/rotate', rotating),
  group('DELETE /v1/webhooks/{id}', deleting),
  group('GET /v1/webhooks and one webhook or delivery', reading),
];
