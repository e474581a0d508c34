import { randomUUID } from 'node:crypto';
import { pathToFileURL } from 'node:url';
import { beforeAll, describe, expect, inject, it, vi } from 'vitest';
import * as z from 'zod';
import { CallRefused, connectOperator, type LambdaPort } from '../../packages/producer/operator.ts';
import { fileOnPage } from '../support/docs/page-blocks.ts';
import { useOperator, withId } from '../support/stack/operate.ts';
import { useStack } from '../support/stack/stack.ts';

const { info } = inject('stack');
const { newCustomer } = useStack();
const { operate } = useOperator();

/** `Invoke` of Lambda over HTTP, as the client of the AWS SDK sends it. */
const lambda: LambdaPort = {
  invoke: async ({ FunctionName, Payload }) => {
    const url = `${info.endpoints.lambda}/2015-03-31/functions/${FunctionName}/invocations`;
    const response = await fetch(url, { method: 'POST', body: Payload });
    const FunctionError = response.headers.get('x-amz-function-error') ?? undefined;
    return { FunctionError, Payload: new Uint8Array(await response.arrayBuffer()) };
  },
};
const operator = connectOperator(lambda, info.operator_functions);

const account = { id: randomUUID(), name: 'Account 4711', email: 'ops@example.com' };

type Program = {
  signUp: (account: object) => Promise<{ customerId: string; apiKey: string }>;
  customerOf: (account: object) => Promise<unknown>;
  replaceKeys: (customerId: string, requestId: string) => Promise<string>;
  portalLink: (customerId: string, options?: object) => Promise<string>;
};
let program: Program;

beforeAll(async () => {
  vi.stubEnv('OPERATOR_FUNCTIONS', info.operator_functions);
  Reflect.set(globalThis, 'lambdaOfTest', lambda);
  const sdk = 'const { lambdaOfTest } = globalThis; export class Lambda { invoke = lambdaOfTest.invoke; }';
  const client = pathToFileURL('packages/producer/operator.ts').href;
  const source = fileOnPage('../operating/for-platforms.md', 'operator.mjs')
    .replace('@aws-sdk/client-lambda', `data:text/javascript,${encodeURIComponent(sdk)}`)
    .replace('webhook-delivery-service/operator', client);
  const isProgram = (value: unknown): value is Program => typeof value === 'object' && value !== null;
  program = z.custom<Program>(isProgram).parse(await import(`data:text/javascript,${encodeURIComponent(source)}`));
  Reflect.deleteProperty(globalThis, 'lambdaOfTest');
});

const asKey = (key: string, path: string, body?: object) =>
  fetch(info.api_url + path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });

describe('operator.mjs of docs/operating/for-platforms.md', () => {
  it('signs an account up to its first delivered event, and twice with one result', async () => {
    const [one, other] = await Promise.all([program.signUp(account), program.signUp(account)]);
    expect(other).toEqual(one);
    expect(await program.signUp({ ...account, name: 'Another name' })).toEqual(one);

    const url = `${info.receiver.origin}/${account.id}`;
    const registered = await asKey(one.apiKey, '/v1/webhooks', { url });
    const { webhook } = z.object({ webhook: withId }).parse(await registered.json());
    await asKey(one.apiKey, `/v1/webhooks/${webhook.id}/examples`, { type: 'run.completed' });
    await expect
      .poll(async () => (await asKey(one.apiKey, `/v1/webhooks/${webhook.id}/deliveries`)).json(), {
        timeout: 30_000,
      })
      .toMatchObject({ items: [{ status: 'delivered' }, { status: 'delivered' }] });
    expect(await program.customerOf(account)).toMatchObject({
      ...{ id: one.customerId, name: account.name, public_name: account.name },
      ...{ reference: account.id, metadata: { email: account.email } },
    });
  });

  it('replaces the keys of a customer, and again with the same one', async () => {
    const { customerId, apiKey } = await program.signUp(account);
    const requestId = randomUUID();

    const key = await program.replaceKeys(customerId, requestId);

    expect(await program.replaceKeys(customerId, requestId)).toBe(key);
    const answers = [await asKey(apiKey, '/v1/credential'), await asKey(key, '/v1/credential')];
    expect(answers.map(({ status }) => status)).toEqual([401, 200]);
    const { items } = await operator.listApiKeys({ customer_id: customerId });
    expect(items.map(({ revoked_at }) => revoked_at === null)).toEqual([true, false]);
    expect(JSON.stringify(items)).not.toContain(key);
  });

  it('leaves the newest key, also when keys are replaced twice at the same time or an earlier call is repeated', async () => {
    const { customerId } = await program.signUp(account);
    const requests = [randomUUID(), randomUUID()];
    const replace = (requestId: string) => program.replaceKeys(customerId, requestId);

    await Promise.all(requests.map(replace));
    for (const requestId of requests) await replace(requestId);

    const { items } = await operator.listApiKeys({ customer_id: customerId });
    expect(items.map(({ revoked_at }) => revoked_at === null)).toContain(true);
  });

  it('makes a link to a page of the console', async () => {
    const { customerId } = await program.signUp(account);

    const url = await program.portalLink(customerId, { readOnly: true, to: '/endpoints/whe_1' });

    expect(url).toMatch(/\/console#token=ptl_[\w-]{49}&to=\/endpoints\/whe_1$/);
  });
});

describe('the functions of the operator', () => {
  it('pages of customers have each once, newest first', async () => {
    const names = ['a', 'b', 'c'].map((name) => `${name} ${randomUUID()}`);
    const made: string[] = [];
    for (const name of names) made.unshift((await operator.createCustomer({ name })).id);

    const seen: string[] = [];
    let cursor: string | null | undefined;
    while (cursor !== null) {
      const page = await operator.listCustomers({ limit: 1, cursor });
      seen.push(...page.items.map(({ id }) => id));
      cursor = page.next_cursor;
    }

    expect(seen.filter((id) => made.includes(id))).toEqual(made);
    expect(new Set(seen).size).toBe(seen.length);
  });

  it('a key of the operator and an Idempotency-Key of the customer with the same text have nothing in common', async () => {
    const { id: customer_id } = await operator.createCustomer({ name: 'Two keys' });
    const { api_key } = await operator.createApiKey({ customer_id, idempotency_key: 'same' });

    const answer = await fetch(`${info.api_url}/v1/webhooks`, {
      method: 'POST',
      headers: {
        ...{ Authorization: `Bearer ${api_key}`, 'Content-Type': 'application/json' },
        'Idempotency-Key': 'same',
      },
      body: JSON.stringify({ url: `${info.receiver.origin}/same` }),
    });

    expect(answer.status).toBe(201);
    const again = await operator.createApiKey({ customer_id, idempotency_key: 'same' });
    expect(again.api_key).toBe(api_key);
  });

  it('what they refuse says what to correct, and changes nothing', async () => {
    const customer = await newCustomer();
    const customer_id = customer.id;
    const unknown = { customer_id: 'cus_none' };
    const many = Object.fromEntries(Array.from({ length: 17 }, (_, index) => [`m${index}`, '']));
    const invalid: readonly (readonly [() => Promise<unknown>, message: string])[] = [
      [() => operator.createCustomer({ name: ' ' }), '`name` must not be empty'],
      [() => operator.createCustomer({ name: 'A', reference: 'a b' }), '`reference` must be visible'],
      [() => operator.createCustomer({ name: 'A', metadata: many }), '`metadata` must have at most 16'],
      [
        () => operator.createCustomer({ name: 'A', metadata: { 'a b': '' } }),
        '`metadata.…` must have names of letters',
      ],
      [
        () => operator.createCustomer({ name: 'A', metadata: { constructor: 'Acme' } }),
        '`metadata.constructor` must have names',
      ],
      [() => operator.listCustomers({ limit: 101 }), '`limit` must be at most 100'],
      [() => operator.listCustomers({ cursor: 'x' }), '`cursor` must be the `next_cursor` of a page'],
      [() => operator.createApiKey({ customer_id, idempotency_key: '' }), '`idempotency_key` must be'],
      [() => operator.revokeApiKey({ customer_id, key_id: 'a'.repeat(1025) }), '`key_id` must have at most 128'],
      [() => operator.createPortalLink({ customer_id: 'a'.repeat(2049) }), '`customer_id` must have at most 128'],
    ];
    const asked = [
      ...invalid.map(([call, message]) => [call, 'InvalidRequest', message] as const),
      [() => operator.createApiKey({ ...unknown, idempotency_key: 'k' }), 'CustomerNotFound', '`customer_id` names no'],
      [() => operator.listApiKeys(unknown), 'CustomerNotFound', '`customer_id` names no customer'],
      [() => operator.revokeApiKey({ customer_id, key_id: 'aky_none' }), 'ApiKeyNotFound', 'no key with this `key_id`'],
    ] as const;

    for (const [call, code, message] of asked) {
      const refusal = await call().catch((error: unknown) => error);
      expect(refusal).toBeInstanceOf(CallRefused);
      expect(refusal).toMatchObject({ code, message: expect.stringContaining(message) });
    }
    expect(await operate(customer, 'keys', 'list', '--customer', customer_id)).toHaveLength(1);
  });
});
