import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { describe, expect, it, vi } from 'vitest';
import type { Principal } from '#shared/auth/authenticate.ts';
import type { Admitted } from '#shared/auth/rate-limit.ts';
import { listQuery } from '#shared/contract/list-query.ts';
import { problem } from '#shared/contract/problem.ts';
import { isChange, type OperationName, operationNames } from '#shared/contract/routes.ts';
import { makeId } from '#shared/domain/ids.ts';
import { apiHandler } from '#shared/runtime/api-handler.ts';
import type { ApiRequest } from '#shared/runtime/api-request.ts';
import { buildApiEvent, lambdaContext, requestId, useOutput } from '../../support/aws/lambda-events.ts';
import { readEmbedded } from '../../support/metrics/embedded-format.ts';
import { unexpected } from '../../support/operations/deps.ts';
import { customerId } from '../../support/values/builders.ts';

const docsUrl = 'https://docs.example.com';
const principal = { customerId, credentialId: 'aky_1' };
const limitHeaders = { 'RateLimit-Policy': '"default";q=60;w=60', RateLimit: '"default";r=59;t=60' };
const admitted: Admitted = { admitted: true, headers: limitHeaders, retryAfter: 1 };
const everyAnswer = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff', ...limitHeaders };

type Event = Partial<APIGatewayProxyEvent>;
type Given = {
  readonly operation?: OperationName;
  readonly authenticate?: (authorization: string | undefined) => Promise<Principal>;
  readonly limitRequests?: (credentialId: string) => Promise<Admitted>;
  readonly run?: (request: ApiRequest) => Promise<unknown>;
};

const output = useOutput();
async function call(event: Event, given: Given = {}): Promise<APIGatewayProxyResult> {
  const {
    operation = 'getWebhook',
    authenticate = async () => principal,
    limitRequests = async () => admitted,
    run = async (request) => request,
  } = given;
  const before = buildApiEvent(event);
  const passed = structuredClone(before);
  const deps = { docsUrl, authenticate, limitRequests };
  const answer = await apiHandler(operation, deps, listQuery, run)(passed, lambdaContext);
  expect(passed, 'the event is not changed').toEqual(before);
  return answer;
}

/** The answer to a request that must not reach the operation. */
async function refusal(event: Event, given: Given = {}) {
  const { statusCode, headers = {}, body } = await call(event, { run: unexpected('run'), ...given });
  return { statusCode, headers, problem: JSON.parse(body), body };
}

/** The request that the operation received. */
async function requestOf(event: Event): Promise<ApiRequest | undefined> {
  const seen: ApiRequest[] = [];
  await call(event, { run: async (request) => void seen.push(request) });
  return seen[0];
}

const post = (body: string, type = 'application/json'): Event => ({
  httpMethod: 'POST',
  headers: { Authorization: 'Bearer key', 'Content-Type': type },
  body,
});
const refuseCredential = () => Promise.reject(problem('invalid_key'));

describe('apiHandler()', () => {
  it('answers with the record of the operation and the status of its route', async () => {
    expect(await call({}, { operation: 'registerWebhook', run: async () => ({ id: 'whe_1' }) })).toEqual({
      statusCode: 201,
      headers: { ...everyAnswer, 'Content-Type': 'application/json' },
      body: '{"id":"whe_1"}',
    });
  });

  it('gives the operation its customer, path, query and body, and empty parts when there are none', async () => {
    const functions = { countRequest: expect.any(Function), payRequest: expect.any(Function) };
    const parts = { customerId, principal, idempotencyKey: null, ...functions };
    const none = { ...parts, path: {}, query: { limit: 25 }, body: undefined };

    expect(
      await requestOf({
        ...post('{"url":"https://a.example"}'),
        pathParameters: { id: 'whe_1', other: undefined },
        multiValueQueryStringParameters: { limit: ['5'], cursor: undefined },
      }),
    ).toEqual({
      ...parts,
      path: { id: 'whe_1' },
      query: { limit: 5 },
      body: { url: 'https://a.example' },
    });
    expect(await requestOf({})).toEqual(none);
    expect(await requestOf({ body: '' })).toEqual(none);
  });

  it.each([
    [{ Authorization: 'Bearer abc' }, 'Bearer abc'],
    [{ AUTHORIZATION: 'Bearer abc' }, 'Bearer abc'],
    [{ authorization: 'Bearer abc' }, 'Bearer abc'],
    [{}, undefined],
  ])('finds the credential in %o', async (headers, credential) => {
    const authenticate = vi.fn(async () => principal);

    await call({ headers }, { authenticate });

    expect(authenticate).toHaveBeenCalledExactlyOnceWith(credential);
  });
});

describe('apiHandler() with a credential that may only read', () => {
  const authenticate = async () => ({ ...principal, readOnly: true });

  it.each(['getWebhook', 'listAllDeliveries', 'planBulkReplay'] as const)('%s is open', async (operation) => {
    expect(await call({}, { operation, authenticate })).toMatchObject({ statusCode: 200 });
  });

  it.each(operationNames.filter(isChange))('%s is refused, and counts as a request', async (operation) => {
    const limitRequests = vi.fn(async () => admitted);

    const { statusCode, problem } = await refusal({}, { operation, authenticate, limitRequests });

    expect(limitRequests).toHaveBeenCalledExactlyOnceWith(principal.credentialId);

    expect([statusCode, problem.code]).toEqual([403, 'portal_link_read_only']);
    expect(problem.detail).toContain('Ask for a link that can make changes');
  });
});

describe('apiHandler() about a failure', () => {
  it('answers a problem document with the request id', async () => {
    const fault = problem('webhook_limit_exceeded', { limit: 5, detail: 'Too many' });

    const forged = { Authorization: 'Bearer key', 'X-Request-Id': 'forged', 'X-Amzn-RequestId': 'forged' };
    const answer = await refusal({ headers: forged }, { run: () => Promise.reject(fault) });

    expect(answer).toMatchObject({
      statusCode: 409,
      headers: { ...everyAnswer, 'Content-Type': 'application/problem+json' },
    });
    expect(Object.keys(answer.headers)).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/WWW-Authenticate|Retry-After/)]),
    );
    expect(answer.problem).toEqual({
      type: `${docsUrl}/errors/webhook_limit_exceeded`,
      title: 'Webhook limit is reached',
      status: 409,
      code: 'webhook_limit_exceeded',
      detail: 'Too many',
      instance: requestId,
      limit: 5,
    });
  });

  it.each([
    ['an error', new Error('table webhooks-prod is gone')],
    ['text', 'table webhooks-prod is gone'],
    ['nothing at all', undefined],
    ['an error with its own status', Object.assign(new Error('table webhooks-prod'), { statusCode: 404 })],
  ])('answers 500 to %s that nobody expected, logs it and does not describe it', async (_, thrown) => {
    const answer = await refusal({}, { run: () => Promise.reject(thrown) });

    expect(answer).toMatchObject({
      statusCode: 500,
      headers: { 'Content-Type': 'application/problem+json' },
    });
    expect(answer.problem).toEqual({
      type: `${docsUrl}/errors/internal_error`,
      title: 'Internal error',
      status: 500,
      code: 'internal_error',
      instance: requestId,
    });
    expect(output()).toContain(thrown === undefined ? 'request.failed' : 'webhooks-prod');
    expect(output()).toContain(requestId);
  });

  const overloaded = () => {
    const members = { name: 'ThrottlingException', $metadata: { httpStatusCode: 400 } };
    return Promise.reject(Object.assign(new Error('table webhooks-prod'), members));
  };

  it.each<[string, Given]>([
    ['the look at the credential', { authenticate: overloaded }],
    ['the count of the request', { limitRequests: overloaded }],
    ['the operation itself', { run: overloaded }],
  ])(
    'an overloaded table at %s is a failure of the service, never of the credential or the request',
    async (_, given) => {
      const answer = await refusal({}, given);

      expect(answer).toMatchObject({ statusCode: 500, problem: { code: 'internal_error' } });
      expect(answer.body).not.toMatch(/webhooks-prod|Exception/);
    },
  );
});

describe('apiHandler() about the request limit', () => {
  const refused: Admitted = { admitted: false, headers: limitHeaders, retryAfter: 12 };

  it('lets an operation count more requests of the credential, and shows the limit after them', async () => {
    const answers = [admitted, admitted, refused];
    const limitRequests = vi.fn(async (_credentialId: string): Promise<Admitted> => {
      const answer = answers.shift() ?? refused;
      return { ...answer, headers: { RateLimit: `"default";r=${answers.length};t=60` } };
    });
    const more: boolean[] = [];
    const run = async ({ countRequest }: ApiRequest) => {
      more.push(await countRequest(), await countRequest());
    };

    const answer = await call({}, { limitRequests, run });

    expect(more).toEqual([true, false]);
    expect(limitRequests.mock.calls).toEqual([['aky_1'], ['aky_1'], ['aky_1']]);
    expect(answer.headers).toMatchObject({ RateLimit: '"default";r=0;t=60' });
  });

  it('refuses an operation that costs more requests than are left, and says when to try again', async () => {
    const answers = [admitted, admitted, refused];
    const limitRequests = async () => answers.shift() ?? refused;
    const run = async ({ payRequest }: ApiRequest) => {
      await payRequest();
      await payRequest();
    };

    expect(await refusal({}, { limitRequests, run })).toMatchObject({
      statusCode: 429,
      headers: { 'Retry-After': '12' },
      problem: { code: 'rate_limit_exceeded', limit: 60 },
    });
  });

  it('refuses a request over the limit before it looks at the body, and says when to try again', async () => {
    expect(await refusal(post('{'), { limitRequests: async () => refused })).toMatchObject({
      statusCode: 429,
      headers: { 'Retry-After': '12', ...limitHeaders },
      problem: { code: 'rate_limit_exceeded', limit: 60, status: 429 },
    });
  });

  it('counts nothing for a request without a valid credential', async () => {
    const { headers } = await refusal(
      {},
      { authenticate: refuseCredential, limitRequests: unexpected('limitRequests') },
    );

    expect(headers).not.toHaveProperty('RateLimit');
  });

  it('refuses the credential before it looks at the body', async () => {
    for (const event of [post('{'), post('x'.repeat(70_000)), post('{}', 'text/plain')]) {
      expect(await refusal(event, { authenticate: refuseCredential })).toMatchObject({
        problem: { code: 'invalid_key' },
      });
    }
  });
});

describe('apiHandler() about its log', () => {
  /** The members that the request decides. */
  const logged = () => {
    const { level: _l, timestamp: _t, service: _s, ...line } = readEmbedded(output()).facts;
    return line;
  };
  const line = { request_id: requestId, operation: 'getWebhook', customer_id: customerId, stage: 'test' };
  const { customer_id: _, ...anonymous } = line;
  const secrets: Event = {
    ...post('{"url":"https://swordfish.example?token=swordfish"}'),
    path: '/v1/webhooks',
    multiValueQueryStringParameters: { swordfish: ['1'] },
  };

  it.each<[string, Event, Given, object]>([
    [
      'a success with the request, the operation, the customer and the status',
      {},
      { operation: 'registerWebhook', run: async () => ({}) },
      { ...line, message: 'request.done', operation: 'registerWebhook', status: 201, status_class: '2xx' },
    ],
    [
      'the code of a problem, and nothing that the request carried',
      secrets,
      {},
      { ...line, message: 'request.done', status: 400, status_class: '4xx', code: 'invalid_request' },
    ],
    [
      'a refused credential without a customer',
      secrets,
      { authenticate: refuseCredential },
      { ...anonymous, message: 'request.done', status: 401, status_class: '4xx', code: 'invalid_key' },
    ],
    [
      'the cause of a failure of the service',
      {},
      { run: () => Promise.reject(new RangeError('too many')) },
      {
        ...line,
        message: 'request.failed',
        status: 500,
        status_class: '5xx',
        cause: { kind: 'RangeError', message: 'too many' },
      },
    ],
  ])('logs %s', async (_title, event, given, expected) => {
    await call(event, given);

    expect(logged()).toEqual(expected);
    expect(output()).not.toMatch(/swordfish|Bearer/);
  });

  const webhook_id = makeId('webhook', 0, new Uint8Array(10));
  const delivery_id = makeId('delivery', 0, new Uint8Array(10));

  it.each([
    [
      { id: webhook_id, deliveryId: delivery_id, handle: 'swordfish' },
      { webhook_id, delivery_id },
    ],
    [{ id: 'run_1' }, { run_id: 'run_1' }],
    [{ id: 'trk_1' }, { tracker_id: 'trk_1' }],
    [{ id: 'whe_swordfish' }, {}],
    [{ id: 'whsec_swordfish' }, {}],
    [{ id: 'aky_01M7WD7TZMT3C8KGKECRFW3QMV' }, {}],
  ])('logs of the path %o the ids and nothing else: %o', async (pathParameters, expected) => {
    await call({ pathParameters }, { run: async () => ({}) });

    const { customer_id: _customer, request_id: _request, ...facts } = logged();
    const ids = Object.entries(facts).filter(([name]) => name.endsWith('_id'));
    expect(Object.fromEntries(ids)).toEqual(expected);
    expect(output()).not.toContain('swordfish');
  });
});

describe('apiHandler() about bodies', () => {
  it.each([
    'application/json',
    'Application/JSON',
    'application/json;charset=UTF-8',
    'application/json ; charset=utf-8',
    'application/merge-patch+json',
  ])('takes %s, also in base64', async (type) => {
    const base64 = { ...post(Buffer.from('{"a":"ü"}').toString('base64'), type), isBase64Encoded: true };

    for (const event of [post('{"a":"ü"}', type), base64])
      expect(await requestOf(event)).toMatchObject({ body: { a: 'ü' } });
  });

  it('refuses a body without a type', async () => {
    expect(await refusal({ ...post('{"a":1}'), headers: {} })).toMatchObject({ statusCode: 400 });
  });

  it.each(['', 'text/json', 'application/jsonp', 'json'])('refuses the type %j', async (type) => {
    expect((await refusal(post('{"a":1}', type))).problem).toMatchObject({ code: 'invalid_request' });
  });

  it.each([' ', '{"secret": swordfish}'])('refuses %j, and does not repeat it', async (text) => {
    const { problem: document, body } = await refusal(post(text));

    expect(document).toMatchObject({ code: 'invalid_request', detail: 'The body must be valid JSON' });
    expect(body).not.toContain('swordfish');
  });

  it.each([
    '{"__proto__":{"admin":true}}',
    '{"a":[{"b":{"__proto__":null}}]}',
    String.raw`{"__pr\u006fto__":{"admin":true}}`,
    '{"constructor":{"prototype":{}}}',
  ])('refuses %s, which could change the prototype', async (body) => {
    expect((await refusal(post(body))).problem.detail).toMatch(/^The body must not have a member `__proto__`/);
    expect({}).not.toHaveProperty('admin');
  });
});
