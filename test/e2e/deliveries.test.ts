import { describe, expect, it } from 'vitest';
import type { Post } from '../../local/parties/customer/customer-client.ts';
import { verifySignature } from '../../local/parties/customer/verify-signature.ts';
import { only } from '../support/stack/eventually.ts';
import { createdTime, dueTime, useStack } from '../support/stack/stack.ts';
import { isAcceptedByAll } from '../support/values/verifiers.ts';

const stack = useStack();
const minute = 60_000;

const eventIdOf = (post: Post): string | undefined => post.headers['x-service-event-id'];
const verifies = (post: Post, secret: string): boolean =>
  verifySignature(post.headers['x-service-signature'] ?? '', post.body, secret, Date.now() / 1_000) &&
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

  it('a delivery fails after three attempts, 10 and 50 minutes apart, when every answer is 500', async () => {
    const customer = await stack.newCustomer();
    const { webhook, secret } = await customer.register(customer.receiver('hooks', '?status=500'));

    await customer.settleRun();

    const delivery = await customer.endedDelivery(webhook.id);
    const posts = await customer.received('hooks', 3);
    expect(posts).toHaveLength(3);
    expectSameEvent(posts);
    expect(posts.map((post) => verifies(post, secret))).toEqual([true, true, true]);
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
});
