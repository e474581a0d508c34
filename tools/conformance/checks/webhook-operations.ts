import { type Check, checkOf, checksOf, groupsOf } from '../harness/check.ts';
import { expectEqual, expectThat, show } from '../harness/expect.ts';
import { at, expectListed, expectMembers, expectNotListed, isRecord, listAt, pluck, textAt } from '../harness/json.ts';
import { failedHandshake } from '../scenarios/all-slots-taken.ts';
import { testDeliveryId } from '../scenarios/deliveries.ts';
import { pathOf } from '../scenarios/endpoint.ts';
import { deletion, mainEndpoint, mainRecords, replays, rotation } from '../scenarios/endpoints.ts';
import { history } from '../scenarios/lists.ts';
import { replayOfFailed, slowFirst } from '../scenarios/retries.ts';
import { activity } from './activity.ts';
import { askingForExamples } from './asking-for-examples.ts';
import { bulkReplays } from './bulk-replays.ts';
import { is } from './fields.ts';
import { figures } from './figures.ts';
import { expectInvalid, expectNotFound, expectProblem, expectStatus } from './problems.ts';
import { repeating } from './repeating.ts';
import { serviceHeader } from './verify.ts';

const day = 24 * 60 * 60 * 1_000;

const deliveries: readonly Check[] = [
  checkOf('the deliveries of an endpoint are answered 200', mainRecords, ({ deliveries: page }) =>
    expectStatus(page, 200),
  ),
  ...checksOf(deletion, {
    'the deliveries of a deleted endpoint stay readable': ({ endpoint, deliveries: page, delivery }) => {
      expectStatus(page, 200);
      expectListed(page.json, testDeliveryId(endpoint));
      expectStatus(delivery, 200);
    },
  }),
  ...checksOf(history, {
    'deliveries can be filtered by status': async ({ path }, ctx) => {
      const failed = await ctx.customer.get(`${path}?status=failed`);
      expectStatus(failed, 200);
      const statuses = pluck(failed.json, 'status');
      const isFailed = (status: unknown) => status === 'failed';
      expectThat(statuses.every(isFailed), 'failed deliveries alone', show(statuses));
    },
    'deliveries can be filtered by event type': async ({ path }, ctx) => {
      const page = await ctx.customer.get(`${path}?event_type=webhook.test&limit=5`);
      expectStatus(page, 200);
      const wanted = Array.from({ length: 5 }, () => 'webhook.test');
      expectEqual('event types', pluck(page.json, 'event_type'), wanted);
    },
    'deliveries can be filtered by the class of the response': async ({ path }, ctx) => {
      const page = await ctx.customer.get(`${path}?response_status=2xx&limit=5`);
      expectStatus(page, 200);
      const found = pluck(page.json, 'response_status');
      const isRight = found.length > 0 && found.every((status) => Math.floor(Number(status) / 100) === 2);
      expectThat(isRight, 'deliveries that were answered with 2xx', show(found));
    },
    'a filter with an unknown value is refused': async ({ path }, ctx) => {
      expectInvalid(await ctx.customer.get(`${path}?status=lost`));
      expectInvalid(await ctx.customer.get(`${path}?event_type=run.started`));
      expectInvalid(await ctx.customer.get(`${path}?response_status=6xx`));
    },
  }),
  ...checksOf(mainRecords, {
    'a single delivery has a log with one entry for each attempt': ({ delivery }) => {
      const log = listAt(delivery.json, 'attempt_log');
      expectEqual('entries', log.length, 1);
      const entry = log[0];
      expectThat(is.timestamp(at(entry, 'at')), 'at: a timestamp', show(entry));
      expectThat(is.timestamp(at(entry, 'planned_at')), 'planned_at: a timestamp', show(entry));
      expectThat(typeof at(entry, 'repeated') === 'boolean', 'repeated: a boolean', show(entry));
      expectThat(Number.isInteger(at(entry, 'duration_ms')), 'duration_ms: an integer', show(entry));
      expectThat(isRecord(at(entry, 'timings')), 'timings: an object', show(entry));
      expectMembers(entry, { response_status: 200, error: null });
    },
    'the body of a single delivery is the exact text that was sent': async ({ delivery }, ctx) => {
      const { handshake } = await mainEndpoint(ctx);
      expectMembers(delivery.json, { body: handshake.body.toString() });
    },
    'a delivery that has ended has no next attempt': ({ delivery, deliveries: page }) => {
      expectMembers(delivery.json, { next_attempt_at: null });
      expectMembers(at(page.json, 'items', 0), { next_attempt_at: null });
    },
  }),
];

const replaying: readonly Check[] = [
  ...checksOf(replays, {
    'a replay answers 202 with a pending delivery': ({ accepted }) => {
      expectStatus(accepted, 202);
      expectMembers(at(accepted.json, 'delivery'), { status: 'pending' });
    },
    'a replay begins with 0 attempts and no response': ({ accepted }) => {
      const unset = { last_attempt_at: null, delivered_at: null, failed_at: null };
      const wanted = { attempts: 0, response_status: null, error: null, ...unset };
      expectMembers(at(accepted.json, 'delivery'), wanted);
    },
    'replay_of of a replay is the replayed delivery': ({ accepted, original }) =>
      expectMembers(at(accepted.json, 'delivery'), { replay_of: original }),
    'a replay is a new delivery': ({ replayId, original }) => expectThat(replayId !== original, 'another id', replayId),
    'a replay has the event id of its original': ({ accepted, before, handshake, posts }) => {
      expectMembers(at(accepted.json, 'delivery'), { event_id: at(before.json, 'event_id') });
      const sent = posts.map((post) => serviceHeader(post, 'event-id'));
      const wanted = serviceHeader(handshake, 'event-id');
      const isSame = sent.length >= 2 && sent.every((id) => id === wanted);
      expectThat(isSame, `event id ${show(wanted)}`, show(sent));
    },
    'a replay sends the exact bytes of its original': ({ posts, handshake }) => {
      const wanted = `the bytes ${show(handshake.body.toString())} again`;
      expectThat(posts.length >= 2, wanted, 'other bytes, or no POST');
    },
    'a replay is delivered like any other delivery': ({ delivered }) =>
      expectMembers(delivered, { status: 'delivered', attempts: 1 }),
    'replay_of of a replayed replay is that replay': ({ again, replayId }) => {
      expectStatus(again, 202);
      expectMembers(at(again.json, 'delivery'), { replay_of: replayId });
    },
  }),
  checkOf('a failed delivery can be replayed', replayOfFailed, ({ accepted, id, post, posts }) => {
    expectStatus(accepted, 202);
    expectMembers(at(accepted.json, 'delivery'), { replay_of: id });
    const isSame = post.body.equals(posts[0]?.body ?? Buffer.alloc(0));
    expectThat(isSame, 'the same bytes', post.body.toString());
  }),
  checkOf('a delivery still being attempted cannot be replayed', slowFirst, ({ refused }) =>
    expectProblem(refused, 'delivery_in_progress'),
  ),
  checkOf('nothing is replayed to a failed endpoint', failedHandshake, ({ replayed }) =>
    expectProblem(replayed, 'webhook_not_active'),
  ),
  checkOf('nothing is replayed to a deleted endpoint', deletion, ({ replayed }) =>
    expectProblem(replayed, 'webhook_not_active'),
  ),
  checkOf('a delivery can be replayed only through its own endpoint', rotation, async ({ endpoint: other }, ctx) => {
    const { endpoint } = await mainEndpoint(ctx);
    const path = `${pathOf(other)}/deliveries/${testDeliveryId(endpoint)}`;
    expectNotFound(await ctx.customer.post(`${path}/replay`));
    expectNotFound(await ctx.customer.get(path));
  }),
];

const rotating: readonly Check[] = [
  ...checksOf(rotation, {
    'a rotation answers 200 with webhook, secret and overlap_expires_at': ({ rotated }) => {
      expectStatus(rotated, 200);
      expectThat(isRecord(at(rotated.json, 'webhook')), 'webhook: an object', 'something else');
      expectThat(typeof at(rotated.json, 'secret') === 'string', 'secret: a string', 'something else');
      const expiry = at(rotated.json, 'overlap_expires_at');
      expectThat(is.timestamp(expiry), 'overlap_expires_at: a timestamp', show(expiry));
    },
    'a rotation mints a new secret': ({ endpoint, newSecret }) =>
      expectThat(newSecret !== endpoint.secret, 'another secret', 'the old one'),
    'the old secret stays valid for 24 hours': ({ rotated, startedAt }) => {
      const length = Date.parse(textAt(rotated.json, 'overlap_expires_at')) - startedAt;
      expectThat(Math.abs(length - day) < 60_000, '24 hours from now', `${length / 3_600_000} hours`);
    },
    'overlap_expires_at is previous_secret_expires_at': ({ rotated, read }) => {
      const wanted = { previous_secret_expires_at: at(rotated.json, 'overlap_expires_at') };
      expectMembers(at(rotated.json, 'webhook'), wanted);
      expectMembers(read.json, wanted);
    },
    'a second rotation inside the overlap is refused': ({ again }) =>
      expectProblem(again, 'webhook_rotation_in_progress'),
  }),
  checkOf('a failed endpoint cannot be rotated', failedHandshake, ({ rotated }) =>
    expectProblem(rotated, 'webhook_not_active'),
  ),
];

const deleting = checksOf(deletion, {
  'a deletion answers 204 without a body': ({ deleted }) => {
    expectStatus(deleted, 204);
    expectEqual('bytes', deleted.bytes.length, 0);
  },
  'no list contains a deleted endpoint': ({ endpoint, listed }) => expectNotListed(listed.json, endpoint.id),
  'a second deletion answers not_found': ({ deletedAgain }) => expectNotFound(deletedAgain),
  'a deleted endpoint cannot be rotated': ({ rotated }) => expectNotFound(rotated),
});

const reading = checksOf(mainRecords, {
  'one endpoint can be read, as the bare record': ({ endpoint, read }) => {
    expectStatus(read, 200);
    expectMembers(read.json, { id: endpoint.id });
  },
  'one delivery can be read, as the bare record': ({ endpoint, delivery }) => {
    expectStatus(delivery, 200);
    expectMembers(delivery.json, { id: testDeliveryId(endpoint) });
  },
  'the endpoints of the customer can be listed': ({ endpoint, listed }) => {
    expectStatus(listed, 200);
    expectListed(listed.json, endpoint.id);
  },
});

export const webhookOperations = groupsOf('Endpoints', {
  'GET /v1/webhooks/{id}/deliveries': deliveries,
  'GET /v1/webhooks/{id}/stats': figures,
  'GET /v1/webhooks/{id}/activity': activity,
  'POST /v1/webhooks/{id}/deliveries/{deliveryId}/replay': replaying,
  'POST /v1/webhooks/{id}/replays': bulkReplays,
  'POST /v1/webhooks/{id}/examples': askingForExamples,
  'POST /v1/webhooks/{id}/rotate': rotating,
  'A POST with an Idempotency-Key': repeating,
  'DELETE /v1/webhooks/{id}': deleting,
  'GET /v1/webhooks and one webhook or delivery': reading,
});
