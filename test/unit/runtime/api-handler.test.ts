import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Admitted } from '#shared/auth/rate-limit.ts';
import { listQuery } from '#shared/contract/list-query.ts';
import { problem } from '#shared/contract/problem.ts';
import type { OperationName } from '#shared/contract/routes.ts';
import { makeId } from '#shared/domain/ids.ts';
import { apiHandler } from '#shared/runtime/api-handler.ts';
import type { ApiRequest } from '#shared/runtime/api-request.ts';
import { buildApiEvent, captureOutput, lambdaContext, requestId } from '../../support/aws/lambda-events.ts';
import { readEmbedded } from '../../support/metrics/embedded-format.ts';
import { unexpected } from '../../support/operations/deps.ts';
import { customerId } from '../../support/values/builders.ts';

const docsUrl = 'https://docs.example.com';
const principal = { customerId, credentialId: 'aky_1' };
const limitHeaders = { 'RateLimit-Policy': '"default";q=60;w=60', RateLimit: '"default";r=59;t=60' };
const admitted: Admitted = { admitted: true, headers: limitHeaders, retryAfter: 1 };
const json = { Authorization: 'Bearer key', 'Content-Type': 'application/json' };

type Given = {
  readonly operation?: OperationName;
  readonly authenticate?: (authorization: string | undefined) => Promise<typeof principal>;
  readonly limitRequests?: (credentialId: string) => Promise<Admitted>;
  readonly run?: (request: ApiRequest) => Promise<unknown>;
};

function call(event: Partial<APIGatewayProxyEvent>, given: Given = {}): Promise<APIGatewayProxyResult> {
  const {
    operation = 'getWebhook',
    authenticate = async () => principal,
    limitRequests = async () => admitted,
    run = async (request) => request,
  } = given;
  return apiHandler(
    operation,
    { docsUrl, authenticate, limitRequests },
    listQuery,
    run,
  )(buildApiEvent(event), lambdaContext);
}

/** The request that the operation received. */
async function requestOf(event: Partial<APIGatewayProxyEvent>): Promise<ApiRequest | undefined> {
  const seen: ApiRequest[] = [];
  await call(event, { run: async (request) => void seen.push(request) });
  return seen[0];
}

const post = (body: string, headers: Record<string, string> = json) => ({
  httpMethod: 'POST',
  headers,
  body,
});
const refuseCredential = () => Promise.reject(problem('invalid_key'));

afterEach(() => {
  vi.restoreAllMocks();
});

describe('apiHandler()', () => {
  it('answers with the record of the operation and the status of its route', async () => {
    const answer = await call({}, { operation: 'registerWebhook', run: async () => ({ id: 'whe_1' }) });

    expect(answer).toEqual({
      statusCode: 201,
      headers: {
        'Cache-Control': 'no-store',
        'X-Content-Type-Options': 'nosniff',
        'Content-Type': 'application/json',
        ...limitHeaders,
      },
      body: '{"id":"whe_1"}',
    });
  });

  it('answers 204 without a body and without its type', async () => {
    const answer = await call({}, { operation: 'deleteWebhook', run: async () => undefined });

    expect(answer).toEqual({
      statusCode: 204,
      headers: { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff', ...limitHeaders },
      body: '',
    });
  });

  it('gives the operation its customer, path, query and body', async () => {
    const request = await requestOf({
      ...post('{"url":"https://a.example"}'),
      pathParameters: { id: 'whe_1', other: undefined },
      multiValueQueryStringParameters: { limit: ['5'], cursor: undefined },
    });

    expect(request).toEqual({
      customerId: principal.customerId,
      principal,
      path: { id: 'whe_1' },
      query: { limit: 5 },
      body: { url: 'https://a.example' },
      countRequest: expect.any(Function),
    });
  });

  it('gives empty parts when there are none', async () => {
    expect(await requestOf({})).toEqual({
      customerId: principal.customerId,
      principal,
      path: {},
      query: { limit: 25 },
      body: undefined,
      countRequest: expect.any(Function),
    });
    expect(await requestOf({ body: '' })).toEqual({
      customerId: principal.customerId,
      principal,
      path: {},
      query: { limit: 25 },
      body: undefined,
      countRequest: expect.any(Function),
    });
  });

  it('does not change the event that came in', async () => {
    const event = buildApiEvent(post('{"url":"https://a.example"}'));
    const before = structuredClone(event);

    await apiHandler(
      'getWebhook',
      { docsUrl, authenticate: async () => principal, limitRequests: async () => admitted },
      listQuery,
      async () => ({}),
    )(event, lambdaContext);

    expect(event).toEqual(before);
  });

  it.each(['Authorization', 'authorization', 'AUTHORIZATION'])('finds the credential in %s', async (name) => {
    const seen: (string | undefined)[] = [];
    const authenticate = async (authorization: string | undefined) => {
      seen.push(authorization);
      return principal;
    };

    await call({ headers: { [name]: 'Bearer abc' } }, { authenticate });
    await call({ headers: {} }, { authenticate });

    expect(seen).toEqual(['Bearer abc', undefined]);
  });
});

describe('apiHandler() about a failure', () => {
  it('answers a problem document with the request id', async () => {
    const answer = await call(
      {},
      { run: () => Promise.reject(problem('webhook_limit_exceeded', { limit: 5, detail: 'Too many' })) },
    );

    expect(answer).toMatchObject({
      statusCode: 409,
      headers: {
        'Cache-Control': 'no-store',
        'X-Content-Type-Options': 'nosniff',
        'Content-Type': 'application/problem+json',
      },
    });
    expect(answer.headers).not.toHaveProperty('WWW-Authenticate');
    expect(answer.headers).not.toHaveProperty('Retry-After');
    expect(JSON.parse(answer.body)).toEqual({
      type: `${docsUrl}/errors/webhook_limit_exceeded`,
      title: 'Webhook limit is reached',
      status: 409,
      code: 'webhook_limit_exceeded',
      detail: 'Too many',
      instance: requestId,
      limit: 5,
    });
  });

  it('names the scheme of the credential on 401', async () => {
    const answer = await call({}, { authenticate: refuseCredential, run: unexpected('run') });

    expect(answer).toMatchObject({ statusCode: 401, headers: { 'WWW-Authenticate': 'Bearer' } });
  });

  it('says when to try again on 429', async () => {
    const limited = problem('rate_limit_exceeded', { limit: 60, retryAfter: 7 });

    const answer = await call({}, { run: () => Promise.reject(limited) });

    expect(answer).toMatchObject({ statusCode: 429, headers: { 'Retry-After': '7' } });
    expect(JSON.parse(answer.body)).toMatchObject({ limit: 60 });
    expect(JSON.parse(answer.body)).not.toHaveProperty('retryAfter');
  });

  it.each([
    ['an error', new Error('table webhooks-prod is gone')],
    ['text', 'table webhooks-prod is gone'],
    ['nothing at all', undefined],
    ['an error with its own status', Object.assign(new Error('table webhooks-prod'), { statusCode: 404 })],
    [
      'an error of the SDK',
      Object.assign(new Error('table webhooks-prod'), { $metadata: { httpStatusCode: 400 } }),
    ],
  ])('answers 500 to %s that nobody expected, logs it and does not describe it', async (_, thrown) => {
    const output = captureOutput();

    const answer = await call({}, { run: () => Promise.reject(thrown) });

    expect(answer).toMatchObject({
      statusCode: 500,
      headers: { 'Content-Type': 'application/problem+json' },
    });
    expect(JSON.parse(answer.body)).toEqual({
      type: `${docsUrl}/errors/internal_error`,
      title: 'Internal error',
      status: 500,
      code: 'internal_error',
      instance: requestId,
    });
    expect(output()).toContain(thrown === undefined ? 'request.failed' : 'webhooks-prod');
    expect(output()).toContain(requestId);
  });
});

describe('apiHandler() about the request limit', () => {
  const refused: Admitted = { admitted: false, headers: limitHeaders, retryAfter: 12 };

  it('lets an operation count more requests of the credential, and shows the limit after them', async () => {
    const answers = [admitted, admitted, refused];
    const asked: string[] = [];
    const limitRequests = async (credentialId: string): Promise<Admitted> => {
      asked.push(credentialId);
      return {
        ...(answers.shift() ?? refused),
        headers: { RateLimit: `"default";r=${answers.length};t=60` },
      };
    };
    const more: boolean[] = [];
    const run = async ({ countRequest }: ApiRequest) => {
      more.push(await countRequest(), await countRequest());
    };

    const answer = await call({}, { limitRequests, run });

    expect(more).toEqual([true, false]);
    expect(asked).toEqual(['aky_1', 'aky_1', 'aky_1']);
    expect(answer.headers).toMatchObject({ RateLimit: '"default";r=0;t=60' });
  });

  it('refuses a request over the limit before it looks at the body', async () => {
    const answer = await call(post('{'), { limitRequests: async () => refused, run: unexpected('run') });

    expect(answer.statusCode).toBe(429);
    expect(answer.headers).toMatchObject({ 'Retry-After': '12', ...limitHeaders });
    expect(JSON.parse(answer.body)).toMatchObject({ code: 'rate_limit_exceeded', limit: 60, status: 429 });
  });

  it('counts by the credential', async () => {
    const counted: string[] = [];

    await call(
      {},
      {
        limitRequests: async (credentialId) => {
          counted.push(credentialId);
          return admitted;
        },
      },
    );

    expect(counted).toEqual(['aky_1']);
  });

  it('says what remains on failures as well', async () => {
    const run = async () => {
      throw problem('not_found');
    };

    expect((await call({}, { run })).headers).toMatchObject(limitHeaders);
  });

  it('counts nothing for a request without a valid credential', async () => {
    const answer = await call(
      {},
      { authenticate: refuseCredential, limitRequests: unexpected('limitRequests'), run: unexpected('run') },
    );

    expect(answer.statusCode).toBe(401);
    expect(answer.headers).not.toHaveProperty('RateLimit');
  });
});

describe('apiHandler() about the order of its checks', () => {
  it('refuses the credential before it looks at the body', async () => {
    for (const event of [post('{'), post('x'.repeat(70_000)), post('{}', { 'Content-Type': 'text/plain' })]) {
      const answer = await call(event, { authenticate: refuseCredential, run: unexpected('run') });

      expect(JSON.parse(answer.body)).toMatchObject({ code: 'invalid_key' });
    }
  });

  it('refuses the body before it runs the operation', async () => {
    const answer = await call(post('{'), { run: unexpected('run') });

    expect(answer.statusCode).toBe(400);
  });
});

describe('apiHandler() about its log', () => {
  const logged = async (event: Partial<APIGatewayProxyEvent>, given: Given) => {
    const output = captureOutput();
    await call({ ...event, path: '/v1/webhooks', queryStringParameters: { limit: '1' } }, given);
    const {
      level: _level,
      timestamp: _timestamp,
      service: _service,
      sampling_rate: _rate,
      ...line
    } = readEmbedded(output()).facts;
    return { line, text: output() };
  };

  it('logs one line for a success, with the request, the operation, the customer and the status', async () => {
    const { line } = await logged({}, { operation: 'registerWebhook', run: async () => ({}) });

    expect(line).toEqual({
      message: 'request.done',
      request_id: requestId,
      operation: 'registerWebhook',
      customer_id: customerId,
      stage: 'test',
      status: 201,
      status_class: '2xx',
    });
  });

  it('logs the code of a problem, and nothing that the request carried', async () => {
    const { line, text } = await logged(
      {
        ...post('{"url":"https://swordfish.example?token=swordfish"}'),
        multiValueQueryStringParameters: { swordfish: ['1'] },
      },
      {},
    );

    expect(line).toEqual({
      message: 'request.done',
      request_id: requestId,
      operation: 'getWebhook',
      customer_id: customerId,
      stage: 'test',
      status: 400,
      status_class: '4xx',
      code: 'invalid_request',
    });
    expect(text).not.toMatch(/swordfish|Bearer/);
  });

  it('logs a refused credential without a customer', async () => {
    const { line } = await logged(
      { headers: { Authorization: 'Bearer key' } },
      { authenticate: refuseCredential },
    );

    expect(line).toEqual({
      message: 'request.done',
      request_id: requestId,
      operation: 'getWebhook',
      stage: 'test',
      status: 401,
      status_class: '4xx',
      code: 'invalid_key',
    });
  });

  it('logs the ids in the path, and no other parameter of it', async () => {
    const webhook_id = makeId('webhook', 0, new Uint8Array(10));
    const delivery_id = makeId('delivery', 0, new Uint8Array(10));
    const pathParameters = { id: webhook_id, deliveryId: delivery_id, handle: 'swordfish' };

    const { line, text } = await logged({ pathParameters }, { operation: 'getDelivery' });

    expect(line).toMatchObject({ webhook_id, delivery_id });
    expect(text).not.toContain('swordfish');
  });

  it.each([
    ['run_1', { run_id: 'run_1' }],
    ['trk_1', { tracker_id: 'trk_1' }],
    ['whe_swordfish', {}],
    ['whsec_swordfish', {}],
    ['aky_01M7WD7TZMT3C8KGKECRFW3QMV', {}],
  ])('logs of the id %s in the path: %o', async (id, expected) => {
    const { line } = await logged({ pathParameters: { id } }, { operation: 'getRun' });

    const { webhook_id, delivery_id, run_id, tracker_id } = line;
    expect(JSON.parse(JSON.stringify({ webhook_id, delivery_id, run_id, tracker_id }))).toEqual(expected);
  });

  it('logs the cause of a failure of the service', async () => {
    const { line } = await logged({}, { run: () => Promise.reject(new RangeError('too many')) });

    expect(line).toEqual({
      message: 'request.failed',
      request_id: requestId,
      operation: 'getWebhook',
      customer_id: customerId,
      stage: 'test',
      status: 500,
      status_class: '5xx',
      cause: { kind: 'RangeError', message: 'too many' },
    });
  });
});

describe('apiHandler() about bodies', () => {
  const codeOf = async (event: Partial<APIGatewayProxyEvent>) => {
    const { statusCode, body } = await call(event, { run: unexpected('run') });
    return { statusCode, code: JSON.parse(body).code };
  };
  const invalid = { statusCode: 400, code: 'invalid_request' };

  it.each([
    'application/json',
    'Application/JSON',
    'application/json; charset=utf-8',
    'application/json;charset=UTF-8',
    'application/json ; charset=utf-8',
    'application/merge-patch+json',
  ])('takes %s', async (type) => {
    await expect(requestOf(post('{"a":1}', { 'content-type': type }))).resolves.toMatchObject({
      body: { a: 1 },
    });
  });

  it.each(['', 'text/plain', 'text/json', 'application/jsonp', 'application/x-www-form-urlencoded', 'json'])(
    'refuses the type %j',
    async (type) => {
      expect(await codeOf(post('{"a":1}', { 'Content-Type': type }))).toEqual(invalid);
    },
  );

  it('refuses a body without a type', async () => {
    expect(await codeOf(post('{"a":1}', {}))).toEqual(invalid);
  });

  it.each(['{', '{"a":1,}', "{'a':1}", '{"a":NaN}', 'undefined', '{}{}', ' ', '\ufeff{}', '['.repeat(33)])(
    'refuses %j',
    async (body) => {
      expect(await codeOf(post(body))).toEqual(invalid);
    },
  );

  it('does not repeat what it could not parse', async () => {
    const { body } = await call(post('{"secret": swordfish}'), { run: unexpected('run') });

    expect(body).not.toContain('swordfish');
  });

  it('decodes a body in base64', async () => {
    const body = Buffer.from('{"description":"ü"}').toString('base64');

    const request = await requestOf({ ...post(body), isBase64Encoded: true });

    expect(request?.body).toEqual({ description: 'ü' });
  });

  it('lets the last of duplicate members count', async () => {
    await expect(requestOf(post('{"a":1,"a":2}'))).resolves.toMatchObject({ body: { a: 2 } });
  });

  it.each(['{"__proto__":{"admin":true}}', '{"a":{"__proto__":null}}', '{"constructor":{"prototype":{}}}'])(
    'refuses %s, which could change the prototype',
    async (body) => {
      const { statusCode, body: problem } = await call(post(body), { run: unexpected('run') });

      expect(statusCode).toBe(400);
      expect(JSON.parse(problem).detail).toMatch(/^The body must not have a member `__proto__`/);
      expect({}).not.toHaveProperty('admin');
    },
  );

  it('refuses parameters with the names of built-in members like any other unknown one', async () => {
    const parameters = JSON.parse('{"__proto__":["1"],"constructor":["2"]}');

    const { statusCode, body } = await call(
      { multiValueQueryStringParameters: parameters },
      { run: unexpected('run') },
    );

    expect(statusCode).toBe(400);
    expect(JSON.parse(body).errors).toMatchObject([{ pointer: '?__proto__' }, { pointer: '?constructor' }]);
  });
});
