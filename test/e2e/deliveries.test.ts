import { describe, expect, it } from 'vitest';
import { type Post, withoutHandshakes } from '../../local/parties/customer/customer-client.ts';
import { verifySignature } from '../../local/parties/customer/verify-signature.ts';
import { only } from '../support/stack/eventually.ts';
import { createdTime, dueTime, useStack } from '../support/stack/stack.ts';
import { isAcceptedByAll } from '../support/values/verifiers.ts';

const stack = useStack();
const minute = 60_000;

const signatureOf = (post: Post): string => post.headers['x-service-signature'] ?? '';
const eventIdOf = (post: Post): string | undefined => post.headers['x-service-event-id'];
const verifies = (post: Post, secret: string): boolean =>
  verifySignature(signatureOf(post), post.body, secret, Date.now() / 1_000) &&
  isAcceptedByAll(post, secret, Date.now());

const isDurationOrNull = (value: unknown): boolean =>
  value === null || (typeof value === 'number' && value >= 0);

/** All posts carry the same event id, in both formats, and the same bytes. */
function expectSameEvent(posts: readonly Post[]): void {
  const [first] = posts;
  expect(posts.map(eventIdOf)).toEqual(posts.map(() => first && eventIdOf(first)));
  expect(posts.map(({ headers }) => headers['webhook-id'])).toEqual(posts.map(eventIdOf));
  expect(posts.map(({ body }) => body.toString('hex'))).toEqual(posts.map(() => first?.body.toString('hex')));
}

describe.concurrent('an event on its way to an endpoint', () => {
  it('registration sends a signed webhook.test', async () => {
    const customer = await stack.newCustomer();

    const { webhook, secret, test_delivery } = await customer.register(customer.receiver('hooks'));

    const post = only(await customer.inbox('hooks'));
    expect(JSON.parse(post.body.toString())).toEqual({
      id: test_delivery.event_id,
      type: 'webhook.test',
      created_at: expect.stringMatching(/Z$/),
      webhook_id: webhook.id,
      links: {},
    });
    expect(post.headers).toMatchObject({
      'content-type': 'application/json',
      'x-service-event-id': test_delivery.event_id,
      'x-service-event-type': 'webhook.test',
      'x-service-signature': expect.stringMatching(/^t=\d+,v1=[0-9a-f]{64}$/),
      'webhook-id': test_delivery.event_id,
      'webhook-timestamp': expect.stringMatching(/^\d{10}$/),
      'webhook-signature': expect.stringMatching(/^v1,[\w+/]{43}=$/),
    });
    expect(verifies(post, secret)).toBe(true);
    expect(webhook).toMatchObject({ status: 'active', secret_prefix: secret.slice(0, 12) });
    expect(test_delivery).toMatchObject({ status: 'delivered', attempts: 1, response_status: 200 });
    expect(JSON.stringify(await customer.webhook(webhook.id))).not.toContain(secret);
  });

  it('a settled Run is posted once, as compact signed JSON with identifiers and links only', async () => {
    const customer = await stack.newCustomer();
    const { webhook, secret } = await customer.register(customer.receiver('hooks'));

    await customer.settleRun();

    const delivery = await customer.endedDelivery(webhook.id);
    const post = only(await customer.received('hooks', 1));
    const event = JSON.parse(post.body.toString());
    expect(event).toEqual({
      id: delivery.event_id,
      type: 'run.completed',
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      run_id: delivery.run_id,
      kind: 'creator_videos',
      status: 'completed',
      charge_usd: 0.25,
      links: { run: `${customer.stack.api_url}/v1/runs/${delivery.run_id}` },
    });
    expect(post.body.toString()).toBe(JSON.stringify(event));
    expect(post.headers).toMatchObject({
      'x-service-event-id': delivery.event_id,
      'x-service-event-type': 'run.completed',
    });
    expect(verifies(post, secret)).toBe(true);
    expect(delivery).toMatchObject({ status: 'delivered', attempts: 1, response_status: 200, error: null });
  });

  it('an event is sent again, with a new signature, until the receiver accepts it', async () => {
    const customer = await stack.newCustomer();
    const { webhook, secret } = await customer.register(customer.receiver('hooks', '?fail_first=2'));

    await customer.settleRun();

    const delivery = await customer.endedDelivery(webhook.id);
    const posts = await customer.received('hooks', 3);
    expect(posts).toHaveLength(3);
    expectSameEvent(posts);
    expect(posts.map((post) => verifies(post, secret))).toEqual([true, true, true]);
    // The third is seconds after the first, even on this clock.
    expect(new Set(posts.map(signatureOf)).size).toBeGreaterThan(1);
    expect(delivery).toMatchObject({ status: 'delivered', attempts: 3, response_status: 200 });
    expect(delivery.attempt_log.map(({ response_status }) => response_status)).toEqual([500, 500, 200]);
  });

  it('a delivery fails after three attempts, 10 and 50 minutes apart, when every answer is 500', async () => {
    const customer = await stack.newCustomer();
    const { webhook } = await customer.register(customer.receiver('hooks', '?status=500'));

    await customer.settleRun();

    const delivery = await customer.endedDelivery(webhook.id);
    const posts = await customer.received('hooks', 3);
    expect(posts).toHaveLength(3);
    expectSameEvent(posts);
    expect(delivery).toMatchObject({
      status: 'failed',
      attempts: 3,
      response_status: 500,
      error: expect.stringContaining('500'),
      delivered_at: null,
      failed_at: expect.any(String),
    });
    expect(delivery.attempt_log).toEqual(
      posts.map(() => ({
        at: expect.stringMatching(/Z$/),
        duration_ms: expect.any(Number),
        outcome: 'rejected',
        response_status: 500,
        error: expect.stringContaining('500'),
        // A later attempt may reuse the connection of an earlier one.
        timings: {
          dns_ms: expect.any(Number),
          connect_ms: expect.toSatisfy(isDurationOrNull),
          tls_ms: expect.toSatisfy(isDurationOrNull),
          first_byte_ms: expect.any(Number),
        },
      })),
    );
    const ends = delivery.attempt_log.map(({ at, duration_ms }) => Date.parse(at) + duration_ms);
    const schedules = await stack.schedules(delivery.id);
    expect(schedules.map(({ name }) => name)).toEqual([`${delivery.id}-2`, `${delivery.id}-3`]);
    for (const [index, wait] of [10 * minute, 50 * minute].entries()) {
      const schedule = schedules[index];
      if (schedule === undefined) throw new Error(`There is no schedule ${index}`);
      // Made after the attempt had ended, for whole seconds only, and never early.
      expect(dueTime(schedule)).toBeGreaterThanOrEqual((ends[index] ?? Number.NaN) + wait);
      expect(dueTime(schedule)).toBeLessThan(createdTime(schedule) + wait + 1_000);
    }
    expect(await customer.webhook(webhook.id)).toMatchObject({ status: 'active' });
  });

  it('a replay is a new delivery of the same event and bytes', async () => {
    const customer = await stack.newCustomer();
    const { webhook, secret } = await customer.register(customer.receiver('hooks'));
    await customer.settleRun();
    const original = await customer.endedDelivery(webhook.id);

    const path = `/v1/webhooks/${webhook.id}/deliveries/${original.id}/replay`;
    const answer = await customer.request('POST', path);

    expect(answer).toMatchObject({
      status: 202,
      body: {
        delivery: { status: 'pending', attempts: 0, replay_of: original.id, event_id: original.event_id },
      },
    });
    const posts = await customer.received('hooks', 2);
    expectSameEvent(posts);
    expect(posts.map((post) => verifies(post, secret))).toEqual([true, true]);
    const { attempt_log: _log, request_headers: _headers, body: text, ...unchanged } = original;
    expect(posts.map(({ body }) => body.toString())).toEqual([text, text]);
    const [replay, replayed] = await customer.deliveries(webhook.id);
    expect(replay).toMatchObject({ replay_of: original.id });
    expect(replayed).toEqual(unchanged);
  });

  it('a delivery cannot be replayed while it is still being attempted', async () => {
    const customer = await stack.newCustomer();
    // Three attempts that end after ten seconds each.
    const { webhook } = await customer.register(customer.receiver('hooks', '?delay_ms=60000'));
    await customer.settleRun();
    await customer.received('hooks', 1);
    const pending = only(await customer.deliveries(webhook.id));

    const answer = await customer.request(
      'POST',
      `/v1/webhooks/${webhook.id}/deliveries/${pending.id}/replay`,
    );

    expect(answer).toMatchObject({
      status: 409,
      contentType: 'application/problem+json',
      body: { status: 409, code: 'delivery_in_progress' },
    });
    expect(await customer.deliveries(webhook.id)).toMatchObject([{ id: pending.id, status: 'pending' }]);
  });

  it('a redirect is not followed', async () => {
    const customer = await stack.newCustomer();
    const target = encodeURIComponent(customer.receiver('target'));
    const { webhook } = await customer.register(customer.receiver('hooks', `?redirect=${target}`));

    await customer.settleRun();

    await customer.received('hooks', 1);
    const delivery = await customer.endedDelivery(webhook.id);
    expect(delivery).toMatchObject({ status: 'failed', attempts: 3, response_status: 302 });
    expect(await customer.inbox('target')).toEqual([]);
  });
});

/**
 * Deletes an endpoint between the second attempt and the third. The clock of the stack leaves two seconds for that: a
 * machine that is too busy for it gets another endpoint.
 */
async function deletedWhileItWaits() {
  for (let tries = 1; ; tries += 1) {
    const customer = await stack.newCustomer();
    const { webhook } = await customer.register(customer.receiver('hooks', '?status=500'));
    await customer.settleRun();
    await customer.received('hooks', 2);
    await customer.remove(webhook.id);
    // What was posted until the deletion was answered.
    const posts = withoutHandshakes(await customer.inbox('hooks'));
    if (posts.length === 2 || tries === 20) return { customer, webhook };
  }
}

describe.concurrent('a deleted endpoint', () => {
  it('a deleted endpoint gets no later event, and its history stays readable', async () => {
    const customer = await stack.newCustomer();
    const { webhook } = await customer.register(customer.receiver('deleted'));
    const { webhook: witness } = await customer.register(customer.receiver('witness'));
    await customer.settleRun();
    const before = await customer.endedDelivery(webhook.id);

    await customer.remove(webhook.id);

    await customer.settleRun();
    await customer.received('witness', 2);
    expect(await customer.received('deleted', 1)).toHaveLength(1);
    expect((await customer.webhooks()).map(({ id }) => id)).toEqual([witness.id]);
    expect(await customer.webhook(webhook.id)).toMatchObject({ status: 'deleted' });
    expect((await customer.deliveries(webhook.id)).map(({ id }) => id)).toEqual([before.id]);
    expect(await customer.request('DELETE', `/v1/webhooks/${webhook.id}`)).toMatchObject({
      status: 404,
      body: { code: 'not_found' },
    });
  });

  it('a waiting retry does not post to a deleted endpoint: the delivery fails without it', async () => {
    const { customer, webhook } = await deletedWhileItWaits();

    const delivery = await customer.endedDelivery(webhook.id);
    expect(delivery).toMatchObject({
      status: 'failed',
      attempts: 2,
      error: expect.stringContaining('deleted'),
      failed_at: expect.any(String),
    });
    expect(delivery.attempt_log).toHaveLength(2);
    const schedules = await stack.schedules(delivery.id);
    expect(schedules.map(({ fired_at }) => fired_at)).toEqual([expect.any(String), expect.any(String)]);
    expect(withoutHandshakes(await customer.inbox('hooks'))).toHaveLength(2);
  });
});

describe('the same message of the Run engine, 20 times', () => {
  it('the same message sent 20 times makes one event, and one delivery and one POST per active endpoint', async () => {
    const customer = await stack.newCustomer();
    const one = await customer.register(customer.receiver('one'));
    const other = await customer.register(customer.receiver('other'));
    const failed = await customer.register(customer.receiver('failed', '?handshake=500'));

    const message = await customer.settleRun();
    for (let sent = 1; sent < 10; sent += 1) await customer.sendToIntake(message);
    await Promise.all(Array.from({ length: 10 }, () => customer.sendToIntake(message)));

    const deliveries = [
      await customer.endedDelivery(one.webhook.id),
      await customer.endedDelivery(other.webhook.id),
    ];
    await stack.drained();
    const posts = [await customer.received('one', 1), await customer.received('other', 1)].map(only);
    expectSameEvent(posts);
    expect(deliveries.map(({ event_id }) => event_id)).toEqual(posts.map(eventIdOf));
    expect(await customer.deliveries(one.webhook.id)).toHaveLength(1);
    expect(await customer.deliveries(other.webhook.id)).toHaveLength(1);
    expect(failed.webhook.status).toBe('failed');
    expect(await customer.deliveries(failed.webhook.id)).toEqual([]);
    expect(withoutHandshakes(await customer.inbox('failed'))).toEqual([]);
  });
});
