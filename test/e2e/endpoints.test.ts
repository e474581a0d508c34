import { describe, expect, it } from 'vitest';
import { liveEndpointKey } from '#shared/aws/table/keys.ts';
import { registrationRecord } from '#shared/contract/records/registration.ts';
import { type Post, registeredAnswer } from '../../local/parties/customer/customer-client.ts';
import { only } from '../support/stack/eventually.ts';
import { useStack } from '../support/stack/stack.ts';
import type { StackCustomer } from '../support/stack/stack-customer.ts';
import { secretNamed } from '../support/values/secret-named.ts';
import { isAcceptedByAll } from '../support/values/verifiers.ts';

const stack = useStack();

describe.concurrent('registration', () => {
  it('20 registrations at once leave five endpoints', async () => {
    const customer = await stack.newCustomer();
    const urls = Array.from({ length: 20 }, (_, index) => customer.receiver(`hooks-${index}`));

    const answers = await Promise.all(urls.map((url) => customer.request('POST', '/v1/webhooks', { url })));

    const registered = answers.filter(({ status }) => status === 201);
    const refused = answers.filter(({ status }) => status !== 201);
    expect(registered).toHaveLength(5);
    expect(refused).toHaveLength(15);
    for (const answer of refused) {
      expect(answer).toMatchObject({
        status: 409,
        contentType: 'application/problem+json',
        body: { status: 409, code: 'webhook_limit_exceeded' },
      });
    }
    const ids = registered.map(({ body }) => registeredAnswer.parse(body).webhook.id);
    const listed = (await customer.webhooks()).map(({ id }) => id);
    expect(listed.toSorted()).toEqual(ids.toSorted());
    const inboxes = await Promise.all(urls.map((_url, index) => customer.inbox(`hooks-${index}`)));
    expect(inboxes.filter((posts) => posts.length > 0)).toHaveLength(5);
  });

  it('registration has room again for each deleted endpoint, including failed ones', async () => {
    const customer = await stack.newCustomer();
    const failed = await customer.register(customer.receiver('failing', '?handshake=500'));
    for (const name of ['a', 'b', 'c', 'd']) await customer.register(customer.receiver(name));
    const url = customer.receiver('late');
    expect(await customer.request('POST', '/v1/webhooks', { url })).toMatchObject({ status: 409 });

    await customer.remove(failed.webhook.id);

    expect(await customer.register(url)).toMatchObject({ webhook: { status: 'active' } });
    expect(await customer.request('POST', '/v1/webhooks', { url })).toMatchObject({ status: 409 });
  });

  it.each([
    ['?handshake=401', 'answer webhook.test with 2xx without verifying it'],
    ['?handshake=301', 'register the URL that it leads to'],
    ['?handshake=404', 'Register the URL with the path that the receiver serves'],
  ])('registration with a receiver that answers %s says how to fix it', async (query, advice) => {
    const customer = await stack.newCustomer();

    const url = customer.receiver('hooks', query);
    const { body } = await customer.request('POST', '/v1/webhooks', { url });

    const { webhook, test_delivery, next_step } = registrationRecord.parse(body);
    expect(test_delivery.error).toContain(advice);
    expect(next_step).toContain(`delete it with \`DELETE /v1/webhooks/${webhook.id}\``);
  });

  it('registration keeps an endpoint whose handshake was not answered 2xx as failed, with its secret and one attempt', async () => {
    const customer = await stack.newCustomer();

    const answer = await customer.register(customer.receiver('hooks', '?handshake=503'));

    expect(answer).toMatchObject({
      webhook: { status: 'failed', activated_at: null },
      secret: expect.stringMatching(/^whsec_/),
      test_delivery: { status: 'failed', attempts: 1, response_status: 503, failed_at: expect.any(String) },
    });
    expect(await customer.inbox('hooks')).toHaveLength(1);
  });
});

describe('a URL that must not be delivered to', () => {
  const refused = [
    'https://127.0.0.1:1',
    'https://localhost',
    'https://169.254.169.254',
    'https://[::1]',
    'https://[::ffff:10.0.0.1]',
    'https://2130706433',
    'http://example.com',
  ];

  it.each(refused)('registration refuses %s and stores nothing', async (url) => {
    const customer = await stack.newCustomer();

    const answer = await customer.request('POST', '/v1/webhooks', { url });

    expect(answer).toMatchObject({
      status: 400,
      contentType: 'application/problem+json',
      body: { code: 'invalid_request', status: 400, errors: [{ pointer: '/url' }] },
    });
    expect(await customer.webhooks()).toEqual([]);
  });

  it('registration refuses the trusted receiver by its address or without TLS: only its origin is trusted', async () => {
    const customer = await stack.newCustomer();
    const named = new URL(customer.receiver('hooks'));
    const urls = [
      `https://127.0.0.1:${named.port}${named.pathname}`,
      `https://localhost:${named.port}${named.pathname}`,
      `http://${named.host}${named.pathname}`,
    ];

    const answers = await Promise.all(urls.map((url) => customer.request('POST', '/v1/webhooks', { url })));

    expect(answers.map(({ status }) => status)).toEqual([400, 400, 400]);
    expect(await customer.webhooks()).toEqual([]);
    expect(await customer.inbox('hooks')).toEqual([]);
  });
});

describe('a rotated secret', () => {
  it('a rotated secret signs beside the old one during the overlap and alone after it, for third-party verifiers', async () => {
    const customer = await stack.newCustomer();
    const { webhook, secret: old } = await customer.register(customer.receiver('hooks'));
    const before = await nextPost(customer, 1);

    const rotated = await customer.rotate(webhook.id);
    const during = await nextPost(customer, 2);
    await endOverlap(customer, webhook.id);
    const after = await nextPost(customer, 3);

    expect([before, during, after].map(countSignatures)).toEqual([1, 2, 1]);
    expect([before, during, after].map((post) => isAccepted(post, old))).toEqual([true, true, false]);
    expect([before, during, after].map((post) => isAccepted(post, rotated.secret))).toEqual([
      false,
      true,
      true,
    ]);
    expect(rotated.webhook.previous_secret_expires_at).toBe(rotated.overlap_expires_at);
    expect(rotated.webhook.secret_prefix).toBe(rotated.secret.slice(0, 12));
    expect(await customer.webhook(webhook.id)).toMatchObject({ previous_secret_expires_at: null });
  });

  it('a signature verifies only with the exact bytes and the right secret', async () => {
    const customer = await stack.newCustomer();
    const { secret } = await customer.register(customer.receiver('hooks'));

    const post = await nextPost(customer, 1);

    const changed = Buffer.from(post.body);
    changed.writeUInt8(changed.readUInt8(10) ^ 1, 10);
    expect(isAccepted(post, secret)).toBe(true);
    expect(isAccepted({ ...post, body: changed }, secret)).toBe(false);
    expect(isAccepted(post, secretNamed('foreign'))).toBe(false);
  });

  it('a secret cannot be rotated again within the overlap', async () => {
    const customer = await stack.newCustomer();
    const { webhook } = await customer.register(customer.receiver('hooks'));
    const { overlap_expires_at, secret } = await customer.rotate(webhook.id);

    const answer = await customer.request('POST', `/v1/webhooks/${webhook.id}/rotate`);

    expect(answer).toMatchObject({
      status: 409,
      body: { code: 'webhook_rotation_in_progress', overlap_expires_at },
    });
    expect(await customer.webhook(webhook.id)).toMatchObject({
      secret_prefix: secret.slice(0, 12),
      previous_secret_expires_at: overlap_expires_at,
    });
  });

  /** Lets a Run settle, and gives the POST of that number that the receiver gets. */
  async function nextPost(customer: StackCustomer, number: number): Promise<Post> {
    await customer.settleRun();
    return only((await customer.received('hooks', number)).slice(number - 1));
  }

  /** A day later, as far as the endpoint is concerned. */
  async function endOverlap(customer: StackCustomer, webhookId: string): Promise<void> {
    const { pk, sk } = liveEndpointKey(customer.id, webhookId);
    await stack.onTable('UpdateItem', {
      Key: { pk: { S: pk }, sk: { S: sk } },
      UpdateExpression: 'SET previous_secret_expires_at = :past',
      ConditionExpression: 'previous_secret_expires_at > :past',
      ExpressionAttributeValues: { ':past': { N: String(Date.now() - 1) } },
    });
  }

  function countSignatures(post: Post): number {
    const { headers } = post;
    const hex = headers['x-service-signature']?.match(/,v1=[0-9a-f]{64}(?=,|$)/g) ?? [];
    const base64 = headers['webhook-signature']?.match(/(?<=^| )v1,[\w+/]{43}=(?= |$)/g) ?? [];
    expect(base64).toHaveLength(hex.length);
    return hex.length;
  }

  /** Asks verifiers that know nothing of this service. */
  function isAccepted(post: Post, secret: string): boolean {
    const { body, headers } = post;
    const ids = [JSON.parse(body.toString()).id, headers['webhook-id']];
    return (
      isAcceptedByAll(post, secret, Date.now()) && ids.every((id) => id === headers['x-service-event-id'])
    );
  }
});
