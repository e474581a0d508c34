import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { createServiceClient } from '../../local/stack/service-client.ts';
import { eventually } from '../support/stack/eventually.ts';
import { useStack } from '../support/stack/stack.ts';
import type { RawAnswer, StackCustomer } from '../support/stack/stack-customer.ts';

const stack = useStack();
const json = { 'Content-Type': 'application/json' };

const keys = z.object({ Items: z.array(z.object({ pk: z.object({ S: z.string() }) })) });

/** Every stored item of a customer, by its partition. */
async function storedOf({ id }: StackCustomer): Promise<readonly string[]> {
  const answer = await stack.onTable('Scan', {
    ConsistentRead: true,
    FilterExpression: 'contains(pk, :id)',
    ExpressionAttributeValues: { ':id': { S: id } },
  });
  return keys.parse(answer).Items.map(({ pk }) => pk.S);
}

/** A problem document with one of these statuses, without injected headers. */
function expectProblem(answer: RawAnswer, ...statuses: readonly number[]): void {
  const problem = z.object({ status: z.number(), code: z.string() }).parse(JSON.parse(answer.text));
  const headers = answer.rawHeaders.join('\n');
  expect(statuses).toContain(answer.status);
  expect(problem.status).toBe(answer.status);
  expect(headers).toMatch(/content-type\napplication\/problem\+json/i);
  expect(headers).not.toMatch(/set-cookie|injected/i);
}

const url = 'https://hooks.example.com/';

describe('a wrong registration', () => {
  const wrap = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
  const bodies: readonly (readonly [string, (url: string) => string | Buffer])[] = [
    ['over 64 KiB', (good) => `{"url":"${good}"${' '.repeat(70_000)}}`],
    ['over 10 MiB', () => Buffer.alloc(11 * 1024 * 1024, 'x')],
    ['33 levels deep', (good) => `{"url":"${good}","a":${wrap(32)}}`],
    ['1,000,000 levels deep', () => wrap(1_000_000)],
    ['with a member of the prototype', (good) => `{"url":"${good}","__proto__":{"a":1}}`],
    ['with a constructor that has a prototype', (good) => `{"url":"${good}","constructor":{"prototype":{}}}`],
    ['with a lone surrogate in its description', (good) => `{"url":"${good}","description":"a\\ud800"}`],
    ['with a lone surrogate in its URL', (good) => `{"url":"${good}/\\ud800"}`],
    ['with a NUL in its description', (good) => `{"url":"${good}","description":"\\u0000"}`],
    ['with a description of another type', (good) => `{"url":"${good}","description":["a"]}`],
    ['with two URLs, of which the last is none', (good) => `{"url":"${good}","url":null}`],
    [
      'with bytes that are not UTF-8',
      (good) => Buffer.from(`{"url":"${good}","description":"\u00ff"}`, 'latin1'),
    ],
    ['with half a document', (good) => `{"url":"${good}"`],
  ];

  it('a wrong registration is answered with a problem, and neither stored nor posted', async () => {
    const customer = await stack.newCustomer();
    const before = await storedOf(customer);

    for (const [name, body] of bodies) {
      const answer = await customer.send(
        'POST',
        '/v1/webhooks',
        json,
        Buffer.from(body(customer.receiver('hooks'))),
      );

      expect.soft(answer.status, name).toBe(400);
      expectProblem(answer, 400);
    }

    expect(await customer.webhooks()).toEqual([]);
    expect(await storedOf(customer)).toEqual(before);
    expect(await customer.inbox('hooks')).toEqual([]);
  });

  it('a registration may repeat a member, have unknown members, and use any script', async () => {
    const customer = await stack.newCustomer();
    const description = 'é 漢字 🎬 \u200f\t\u2028';
    const good = customer.receiver('hooks');
    const body = `{"url":"${url}","constructor":1,"status":"failed","id":"whe_1","customer_id":"cus_1",
      "description":${JSON.stringify(description)},"url":"${good}"}`;

    const answer = await customer.send('POST', '/v1/webhooks', json, Buffer.from(body));

    expect(answer.status).toBe(201);
    expect(await customer.webhooks()).toMatchObject([{ url: good, description, status: 'active' }]);
  });
});

describe('a hostile request target', () => {
  const parts = [
    '%00',
    '%ff',
    '%2F',
    '%2e%2e%2f',
    '%0d%0aInjected:%20a',
    '%ed%a0%80',
    '%',
    '%zz',
    '%25',
    '..%5c',
    'a%20b',
  ];
  const targets = parts.flatMap((part) => [
    `/v1/webhooks/${part}`,
    `/v1/runs/run_${part}`,
    `/v1/creators/tiktok/${part}/videos`,
    `/v1/${part}`,
  ]);
  const queries = [
    '?limit=%00',
    '?limit=5%0d%0aInjected:%20a',
    '?cursor=%ff%00',
    '?cursor=%ed%a0%80',
    `?cursor=${'A'.repeat(5_000)}`,
    '?limit[]=5&limit=',
    `?limit=1&${'limit=2&'.repeat(500)}`,
  ];

  it('a hostile request target is a problem, and never becomes a header', async () => {
    const customer = await stack.newCustomer();
    const before = await storedOf(customer);

    for (const target of targets) expectProblem(await customer.send('GET', target), 400, 404);
    for (const query of queries) expectProblem(await customer.send('GET', `/v1/webhooks${query}`), 400);
    expectProblem(await customer.send('GET', `/v1/webhooks?${'a=b&'.repeat(5_000)}`), 400, 404);

    expect(await storedOf(customer)).toEqual(before);
  });

  it('forged headers do not help a hostile request target', async () => {
    const customer = await stack.newCustomer();
    const id = 'injected-by-the-caller';

    const answer = await customer.send('GET', '/v1/webhooks/whe_1', {
      'X-Request-Id': id,
      'X-Amzn-RequestId': id,
      'X-Amzn-Trace-Id': `Root=${id}`,
      'X-Forwarded-Host': `${id}.example.com`,
      'X-Forwarded-Proto': 'gopher',
      'X-HTTP-Method-Override': 'DELETE',
      Referer: `https://${id}.example.com`,
      Cookie: `a=${id}`,
    });

    expectProblem(answer, 404);
    expect(answer.text).not.toContain(id);
  });
});

const letters = z.object({
  Messages: z
    .array(
      z.object({
        Body: z.string(),
        MessageAttributes: z.object({ reason: z.object({ StringValue: z.string() }) }),
      }),
    )
    .default([]),
});

describe('a wrong intake message', () => {
  const created_at = '2026-11-20T09:00:00.000Z';
  const run = { id: 'run_1', kind: 'swordfish', status: 'running', created_at };
  const tracker = { id: 'trk_1', kind: 'creator', status: 'active', created_at };
  /** Each message contains the customer's id, so that the test can find it. */
  const messages: readonly ((customer_id: string) => string)[] = [
    (id) => `swordfish ${id}`,
    (id) => `{"customer_id":"${id}","type":"swordfish`,
    (id) => JSON.stringify({ customer_id: id, type: 'swordfish' }),
    (id) => JSON.stringify([{ customer_id: id, type: 'run.saved', run }]),
    (id) => JSON.stringify({ customer_id: { swordfish: id }, type: 'run.saved', run }),
    (id) =>
      JSON.stringify({ customer_id: id, type: 'run.saved', run: { ...run, id: 'run_\u0000swordfish' } }),
    (id) => JSON.stringify({ customer_id: id, type: 'run.saved', run: { ...run, status: 'swordfish' } }),
    (id) => JSON.stringify({ customer_id: id, type: 'run.saved', run: { ...run, created_at: 'swordfish' } }),
    (id) => `{"customer_id":"${id}","type":"run.saved","__proto__":{"run":${JSON.stringify(run)}}}`,
    (id) =>
      JSON.stringify({
        customer_id: id,
        type: 'tracker.saved',
        tracker: { ...tracker, more: 'deep' },
      }).replace('"deep"', `${'['.repeat(20_000)}${']'.repeat(20_000)}`),
  ];

  it('a wrong intake message goes to the dead letters with a reason without its values, and nothing is stored', async () => {
    const customer = await stack.newCustomer();
    const before = await storedOf(customer);
    const sent = messages.map((message) => message(customer.id));

    for (const message of sent) await customer.sendTextToIntake(message);
    const found = await deadLettersOf(customer, sent.length);

    expect([...found.keys()].toSorted()).toEqual(sent.toSorted());
    for (const reason of found.values()) {
      expect(reason).toMatch(/^[ -~]{10,1000}$/);
      expect(reason).not.toContain('swordfish');
      expect(reason).not.toContain(customer.id);
    }
    expect(await storedOf(customer)).toEqual(before);
    expect(await customer.request('GET', '/v1/runs')).toMatchObject({ body: { items: [] } });
  });
});

/** Bodies of the customer's dead letters with their reasons. They stay visible, as other tests may read the queue. */
async function deadLettersOf(customer: StackCustomer, count: number): Promise<ReadonlyMap<string, string>> {
  const { endpoints, intake_dead_letter_queue_url: QueueUrl } = customer.stack;
  const { call, close } = createServiceClient('sqs', endpoints.sqs);
  const found = new Map<string, string>();
  const look = async () => {
    const input = { QueueUrl, MaxNumberOfMessages: 10, VisibilityTimeout: 1, MessageAttributeNames: ['All'] };
    for (const { Body, MessageAttributes } of letters.parse(await call('ReceiveMessage', input)).Messages) {
      if (Body.includes(customer.id)) found.set(Body, MessageAttributes.reason.StringValue);
    }
    expect(found.size).toBeGreaterThanOrEqual(count);
  };
  await eventually(look, { interval: 300 }).finally(close);
  return found;
}
