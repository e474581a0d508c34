import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type RunningGateway, startGateway } from '../../tools/local/aws/gateway/start-gateway.ts';
import type { InvokeResult } from '../../tools/local/aws/lambda/protocol.ts';
import { localRoutes } from '../../tools/local/stack/local-routes.ts';
import type { ApiModel, GatewayResponse } from '../../tools/local/template/api-model.ts';

function ownResponse(statusCode: number, title: string): GatewayResponse {
  return {
    statusCode,
    parameters: {
      'gatewayresponse.header.Content-Type': "'application/problem+json'",
      'gatewayresponse.header.X-Kind': 'context.error.responseType',
    },
    templates: { 'application/json': `{"title":"${title}","instance":"$context.requestId"}` },
  };
}

const api: ApiModel = {
  id: 'api',
  stageName: 'test',
  binaryMediaTypes: [],
  resources: [
    { path: '/', methods: new Map([['GET', 'root']]) },
    { path: '/things', methods: new Map([['POST', 'create']]) },
    {
      path: '/things/{id}',
      methods: new Map([
        ['GET', 'read'],
        ['ANY', 'rest'],
      ]),
    },
    { path: '/things/special', methods: new Map([['GET', 'special']]) },
    { path: '/things/{id}/parts', methods: new Map([['GET', 'parts']]) },
    { path: '/files/{proxy+}', methods: new Map([['ANY', 'files']]) },
  ],
  gatewayResponses: new Map([
    ['DEFAULT_4XX', ownResponse(400, 'bad')],
    ['DEFAULT_5XX', ownResponse(500, 'broken')],
    ['MISSING_AUTHENTICATION_TOKEN', ownResponse(404, 'nothing here')],
    ['REQUEST_TOO_LARGE', ownResponse(400, 'too large')],
  ]),
};

let gateway: RunningGateway;
let seen: { readonly functionArn: string; readonly event: APIGatewayProxyEvent }[];
let answer: () => Promise<InvokeResult>;

beforeEach(async () => {
  seen = [];
  answer = async () => ({ ok: true, payload: { statusCode: 200, body: '{}' } });
  gateway = await startGateway({ port: 0 });
  serve(api);
});
afterEach(() => gateway.close(0));

/** In place of the gateway that each test has. */
async function restart(model: ApiModel, options: { integrationTimeoutMs?: number } = {}): Promise<void> {
  await gateway.close(0);
  gateway = await startGateway({ port: 0, ...options });
  serve(model);
}

function serve(model: ApiModel, own?: ReturnType<typeof localRoutes>): void {
  gateway.serve({
    api: model,
    ...(own === undefined ? {} : { own }),
    invoke: async (functionArn, event) => {
      seen.push({ functionArn, event });
      return await answer();
    },
  });
}

function answerWith(payload: unknown): void {
  answer = async () => ({ ok: true, payload });
}

/** Sends lines as they are, and a host, and gives all that comes back. */
async function sendRaw(line: string, ...headers: readonly string[]): Promise<string> {
  const { host, port } = new URL(gateway.url);
  const socket = connect(Number(port), '127.0.0.1');
  await once(socket, 'connect');
  socket.write([line, `Host: ${host}`, 'Connection: close', ...headers, '', ''].join('\r\n'));
  return await text(socket);
}

describe('routing', () => {
  it.each([
    ['GET', '/', 'root', null],
    ['POST', '/things', 'create', null],
    ['POST', '/things/', 'create', null],
    ['GET', '/things/a%20b', 'read', { id: 'a b' }],
    ['GET', '/things/special', 'special', null],
    ['DELETE', '/things/7', 'rest', { id: '7' }],
    ['GET', '/things/special/parts', 'parts', { id: 'special' }],
    ['PUT', '/files/a/b%2Fc', 'files', { proxy: 'a/b/c' }],
  ])('%s %s reaches %s', async (method, path, functionArn, parameters) => {
    await fetch(gateway.url + path, { method });

    expect(seen.map((call) => [call.functionArn, call.event.pathParameters])).toEqual([[functionArn, parameters]]);
  });

  it.each([
    ['GET', '/unknown'],
    ['DELETE', '/things'],
    ['GET', '/things//parts'],
    ['GET', '/files'],
  ])('%s %s without a route gets the answer of the template', async (method, path) => {
    const response = await fetch(gateway.url + path, { method });

    expect(response.status).toBe(404);
    expect(response.headers.get('content-type')).toBe('application/problem+json');
    expect(response.headers.get('x-kind')).toBe('MISSING_AUTHENTICATION_TOKEN');
    expect(await response.json()).toEqual({
      title: 'nothing here',
      instance: response.headers.get('x-amzn-requestid'),
    });
    expect(seen).toEqual([]);
  });
});

describe('the event', () => {
  it('the event of a request has version 1.0 of the payload', async () => {
    await fetch(`${gateway.url}/things?a=1&a=2&b=x%26y+z`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-Own': 'v' },
      body: '{"text":"ü"}',
    });

    const event = seen[0]?.event;
    expect(event).toMatchObject({
      resource: '/things',
      path: '/things',
      httpMethod: 'POST',
      queryStringParameters: { a: '2', b: 'x&y z' },
      multiValueQueryStringParameters: { a: ['1', '2'], b: ['x&y z'] },
      pathParameters: null,
      body: '{"text":"ü"}',
      isBase64Encoded: false,
      requestContext: {
        stage: 'test',
        resourcePath: '/things',
        httpMethod: 'POST',
        identity: { sourceIp: '127.0.0.1' },
        requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        requestTime: expect.stringMatching(/^\d\d\/[A-Z][a-z]{2}\/\d{4}:\d\d:\d\d:\d\d \+0000$/),
      },
    });
    expect(event?.headers).toMatchObject({ 'X-Own': 'v', 'X-Forwarded-For': '127.0.0.1' });
    expect(event?.multiValueHeaders).toMatchObject({ 'X-Own': ['v'] });
  });

  it('the event of a bare request has null for its body and query', async () => {
    await fetch(gateway.url);

    expect(seen[0]?.event).toMatchObject({
      body: null,
      queryStringParameters: null,
      multiValueQueryStringParameters: null,
      stageVariables: null,
    });
  });

  it('the event keeps repeated headers and the spelling of the client, and drops those of the connection', async () => {
    await sendRaw('GET / HTTP/1.1', 'x-One: 1', 'x-One: 2', 'X-Hop: h', 'TE: trailers', 'Connection: X-Hop');

    const { headers, multiValueHeaders } = seen[0]?.event ?? {};
    expect(multiValueHeaders?.['x-One']).toEqual(['1', '2']);
    expect(headers).toEqual({
      Host: new URL(gateway.url).host,
      'X-Forwarded-For': '127.0.0.1',
      'X-Forwarded-Proto': expect.any(String),
      'x-One': '2',
    });
  });

  it('the event lacks the headers that API Gateway drops, and has the length of a chunked body', async () => {
    const dropped = 'Content-MD5 Max-Forwards Proxy-Authenticate Server WWW-Authenticate Upgrade'.split(' ');
    const passed = 'Age Authorization Date Pragma Range Referer User-Agent Via Warn'.split(' ');

    await sendRaw(
      'POST /things HTTP/1.1',
      'Trailer: X-A',
      ...[...dropped, ...passed].map((name) => `${name}: 1`),
      'Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0',
    );

    const { headers = {}, body } = seen[0]?.event ?? {};
    expect(Object.keys(headers).sort()).toEqual(
      [...passed, 'Content-Length', 'Host', 'X-Forwarded-For', 'X-Forwarded-Proto'].sort(),
    );
    expect([headers['Content-Length'], body]).toEqual(['3', 'abc']);
  });

  it('the event lacks an Authorization header that holds an AWS signature', async () => {
    const signature = 'AWS4-HMAC-SHA256 Credential=a/20261120/us-east-1/execute-api/aws4_request, Signature=0';

    await fetch(gateway.url, { headers: { Authorization: signature } });
    await fetch(gateway.url, { headers: { Authorization: 'Bearer AWS4-HMAC-SHA256' } });

    expect(seen.map(({ event }) => event.headers.Authorization)).toEqual([undefined, 'Bearer AWS4-HMAC-SHA256']);
  });
});

describe('the answer', () => {
  it('the answer has the status, headers and body of the proxy result', async () => {
    answerWith({
      statusCode: 201,
      headers: { 'Content-Type': 'text/plain', 'X-Number': 7 },
      multiValueHeaders: { 'Set-Cookie': ['a=1', 'b=2'] },
      body: 'grüezi',
    });

    const response = await fetch(gateway.url);

    expect(response.status).toBe(201);
    expect(response.headers.get('content-type')).toBe('text/plain');
    expect(response.headers.get('x-number')).toBe('7');
    expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
    expect(await response.text()).toBe('grüezi');
  });

  it('the answer has some headers of a function under another name, and lacks others, as API Gateway does', async () => {
    const renamed = 'Authorization Connection Content-MD5 Date Max-Forwards Server User-Agent'.split(' ');
    const dropped = 'Expect Host Proxy-Authenticate TE Trailer Transfer-Encoding Upgrade Via'.split(' ');
    const headers = Object.fromEntries([...renamed, ...dropped].map((name) => [name, 'of the function']));
    const multiValueHeaders = { 'www-authenticate': ['Bearer', 'Basic'] };
    answerWith({ statusCode: 401, headers, multiValueHeaders, body: 'whole' });

    const response = await fetch(gateway.url);

    const ofFunction = [...response.headers].filter(([, value]) => value === 'of the function');
    expect(ofFunction.map(([name]) => name)).toEqual(renamed.map((name) => `x-amzn-remapped-${name.toLowerCase()}`));
    expect(response.headers.get('x-amzn-remapped-www-authenticate')).toBe('Bearer, Basic');
    expect(response.headers.get('www-authenticate')).toBeNull();
    expect(await response.text()).toBe('whole');
  });

  it('the answer of the gateway itself keeps the names of its headers', async () => {
    const parameters = { 'gatewayresponse.header.WWW-Authenticate': "'Bearer'" };
    const notFound = { ...ownResponse(401, 'who are you'), parameters };
    await restart({ ...api, gatewayResponses: new Map([['MISSING_AUTHENTICATION_TOKEN', notFound]]) });

    const { headers } = await fetch(`${gateway.url}/nothing`);

    expect(headers.get('www-authenticate')).toBe('Bearer');
  });

  it('the answer with 204 has no body', async () => {
    answerWith({ statusCode: 204, body: '' });

    const { status, headers, body } = await fetch(gateway.url);

    expect([status, headers.get('content-length'), body]).toEqual([204, null, null]);
  });

  it('a body of a binary media type is in Base64 in the event, and in the result of a function', async () => {
    await restart({ ...api, binaryMediaTypes: ['*/*'] });
    const bytes = Buffer.from([0xff, 0x00, 0x80]);
    const body = bytes.toString('base64');
    answerWith({ statusCode: 200, body, isBase64Encoded: true });

    const response = await fetch(`${gateway.url}/things`, { method: 'POST', body: bytes });

    expect(seen[0]?.event).toMatchObject({ isBase64Encoded: true, body });
    expect(Buffer.from(await response.arrayBuffer())).toEqual(bytes);
  });

  it.each([
    ['a function error', { ok: false, errorType: 'Error', errorMessage: 'x' }],
    ['no result', { ok: true, payload: null }],
    ['a result without a status', { ok: true, payload: { body: 'x' } }],
    ['a body that is not text', { ok: true, payload: { statusCode: 200, body: { a: 1 } } }],
    ['a header that HTTP forbids', { ok: true, payload: { statusCode: 200, headers: { 'X-A': 'a\nb' } } }],
  ] as const)('the answer is the 5xx of the template after %s', async (_case, result) => {
    answer = async () => result;

    const response = await fetch(gateway.url);

    expect(response.status).toBe(500);
    expect(response.headers.get('x-kind')).toBe('DEFAULT_5XX');
    expect(await response.json()).toMatchObject({ title: 'broken' });
  });

  it('the answer is the 5xx default when the function takes longer than the gateway waits', async () => {
    await restart(api, { integrationTimeoutMs: 1 });
    answer = () => new Promise(() => undefined);

    const { status, headers } = await fetch(gateway.url);

    expect([status, headers.get('x-kind')]).toEqual([500, 'INTEGRATION_TIMEOUT']);
  });

  it('the answer has the messages of API Gateway when the template defines none', async () => {
    await restart({ ...api, gatewayResponses: new Map() });

    const response = await fetch(`${gateway.url}/unknown`);

    expect(response.status).toBe(403);
    expect(await response.json()).toEqual({ message: 'Missing Authentication Token' });
  });
});

describe('limits', () => {
  const badRequest = /^HTTP\/1\.1 400 Bad Request.*"title":"bad"/s;

  it('the gateway refuses a body over 10 MB and passes one of exactly 10 MB', async () => {
    const limit = 10 * 1024 * 1024;

    const fits = await fetch(`${gateway.url}/things`, { method: 'POST', body: 'x'.repeat(limit) });
    const tooLarge = await fetch(`${gateway.url}/things`, { method: 'POST', body: 'x'.repeat(limit + 1) });

    expect(fits.status).toBe(200);
    expect([tooLarge.status, tooLarge.headers.get('x-kind')]).toEqual([400, 'REQUEST_TOO_LARGE']);
    expect(seen).toHaveLength(1);
  });

  it('the gateway refuses an announced body over 10 MB before it is sent', async () => {
    const outgoing = request(`${gateway.url}/things`, {
      method: 'POST',
      headers: { Expect: '100-continue', 'Content-Length': 11 * 1024 * 1024 },
    });
    outgoing.flushHeaders();

    const [response] = await once(outgoing, 'response');

    expect([response.statusCode, response.headers['x-kind']]).toEqual([400, 'REQUEST_TOO_LARGE']);
    outgoing.destroy();
  });

  // The other lines have 70 bytes.
  it.each([
    ['passes a head of up to 10,240 bytes', 'GET / HTTP/1.1', 10_170, /^HTTP\/1\.1 200 OK/],
    ['refuses a longer head', 'GET / HTTP/1.1', 10_171, badRequest],
    ['refuses a head that Node.js does not read either', 'GET / HTTP/1.1', 40_000, badRequest],
    ['refuses a malformed percent encoding', 'GET /things/%zz HTTP/1.1', 0, badRequest],
    ['refuses what is not HTTP', 'what is this', 0, badRequest],
  ])('the gateway %s', async (_what, line, size, expected) => {
    expect(await sendRaw(line, `X-Long: ${'x'.repeat(size)}`)).toMatch(expected);
  });
});

describe('what is not of the template', () => {
  it('an attempt that waits is fired by its delivery, and every other request reaches the API', async () => {
    const fired: string[] = [];
    const own = localRoutes({ fireNow: (start) => fired.push(start) === 1, invoke: () => null });
    await gateway.close(0);
    gateway = await startGateway({ port: 0 });
    serve(api, own);
    const ask = async (method: string, path: string) => await fetch(gateway.url + path, { method });

    const first = await ask('POST', '/local/deliveries/whd_1/attempt');
    const again = await ask('POST', '/local/deliveries/whd_1/attempt');

    expect([first.status, again.status, await again.json()]).toEqual([
      204,
      404,
      expect.objectContaining({ title: 'No attempt of this delivery waits' }),
    ]);
    expect(fired).toEqual(['whd_1-', 'whd_1-']);
    expect(first.headers.get('x-local-stack')).toBe('true');
    const others = [ask('GET', '/local/deliveries/whd_1/attempt'), ask('POST', '/local/deliveries/x/attempt')];
    for (const { status, headers } of await Promise.all(others)) {
      expect([status, headers.get('x-kind')]).toEqual([404, 'MISSING_AUTHENTICATION_TOKEN']);
    }
    expect((await ask('GET', '/')).status).toBe(200);
    expect(seen.map(({ functionArn }) => functionArn)).toEqual(['root']);
  });
});

describe('Invoke of Lambda', () => {
  it('answers with the result of a function or its error, and knows no other function', async () => {
    const results: Readonly<Record<string, InvokeResult>> = {
      good: { ok: true, payload: { made: true } },
      bad: { ok: false, errorType: 'InvalidRequest', errorMessage: 'why' },
    };
    const invoke = (name: string) => {
      const result = results[name];
      return result === undefined ? null : Promise.resolve(result);
    };
    const route = localRoutes({ fireNow: () => false, invoke });
    const ask = async (name: string) => {
      const path = `/local/2015-03-31/functions/${name}/invocations`;
      const { status, headers, body } = (await route({ method: 'POST', path, body: Buffer.from('{}') })) ?? {};
      return [status, headers?.get('X-Amz-Function-Error'), JSON.parse(String(body))];
    };

    expect(await ask('good')).toEqual([200, undefined, { made: true }]);
    expect(await ask('bad')).toEqual([
      200,
      'Unhandled',
      { errorType: 'InvalidRequest', errorMessage: 'why', trace: [] },
    ]);
    expect(await ask('other')).toEqual([404, undefined, { Type: 'User', Message: 'Function not found: other' }]);
  });
});

describe('start and end', () => {
  it('the gateway lets requests wait until there is something to serve', async () => {
    await gateway.close(0);
    gateway = await startGateway({ port: 0 });
    const early = fetch(gateway.url);

    serve(api);

    expect((await early).status).toBe(200);
  });

  it('the gateway names the port that is taken, and the flag to choose another', async () => {
    const { port } = new URL(gateway.url);

    await expect(startGateway({ port: Number(port) })).rejects.toThrow(
      `Port ${port} on 127.0.0.1 is in use: stop the program that listens there, or choose another with --port`,
    );
  });

  it('the gateway lets a request in flight end when it is closed, and then refuses connections', async () => {
    const running = Promise.withResolvers<InvokeResult>();
    answer = () => running.promise;
    const inFlight = fetch(gateway.url);
    await expect.poll(() => seen.length).toBe(1);

    const closed = gateway.close(5_000);
    running.resolve({ ok: true, payload: { statusCode: 202 } });

    expect((await inFlight).status).toBe(202);
    await closed;
    await expect(fetch(gateway.url)).rejects.toThrow();
  });
});
