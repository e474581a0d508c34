import { type Check, check, checkOf, groupsOf } from '../harness/check.ts';
import type { RequestOptions } from '../harness/client.ts';
import { type Exchange, headerOf, isSuccess, mediaType } from '../harness/exchange.ts';
import { expectEqual, expectThat, show } from '../harness/expect.ts';
import { at, expectMembers, listOrNone, textAt } from '../harness/json.ts';
import { engineProblems } from '../scenarios/journey.ts';
import { storedRun } from '../scenarios/lists.ts';
import { everyResponse, failures, faultOf, header, responses, successes } from './every-response.ts';
import { endpointOperations, resultOperations, sendTo } from './operations.ts';
import { statusOfCode } from './problem-table.ts';
import { expectInvalid, expectNotFound, expectPointer, isFailure, pointersOf } from './problems.ts';

const everywhere: readonly Check[] = [
  everyResponse(failures(), {
    name: 'every failure is application/problem+json',
    wanted: 'Content-Type: application/problem+json',
    fault: faultOf('Content-Type', mediaType, (type) => type === 'application/problem+json'),
  }),
  everyResponse(failures(hasCode), {
    name: 'a code has the same status everywhere',
    wanted: 'the status of the code',
    fault: ({ status, json }) => {
      const code = String(at(json, 'code'));
      return (statusOfCode[code] ?? status) === status ? null : `${code} with ${status}`;
    },
  }),
  everyResponse(responses(), {
    name: 'no answer is a server error',
    wanted: 'no 5xx',
    fault: ({ status }) => (status < 500 ? null : `status ${status}`),
  }),
  everyResponse(successes(hasBody), {
    name: 'every success with a body is JSON',
    wanted: 'Content-Type: application/json and a JSON body',
    fault: (exchange) => {
      if (mediaType(exchange) !== 'application/json') return `Content-Type ${show(mediaType(exchange))}`;
      return exchange.json === undefined ? `body ${show(exchange.text)}` : null;
    },
  }),
  everyResponse(responses(isOfApi), {
    name: 'no answer may be stored by a cache',
    wanted: 'Cache-Control: no-store',
    fault: faultOf('Cache-Control', header('cache-control'), (value) => value.includes('no-store')),
  }),
  everyResponse(responses(), {
    name: 'no answer may be read as another type',
    wanted: 'X-Content-Type-Options: nosniff',
    fault: faultOf(
      'X-Content-Type-Options',
      (exchange) => headerOf(exchange, 'x-content-type-options'),
      (value) => value === 'nosniff',
    ),
  }),
];

function hasCode(exchange: Exchange): boolean {
  return isFailure(exchange) && at(exchange.json, 'code') !== undefined;
}

function isOfApi({ request }: Exchange): boolean {
  return request.path.startsWith('/v1/');
}

function hasBody(exchange: Exchange): boolean {
  return isSuccess(exchange) && exchange.status !== 204 && isOfApi(exchange);
}

const json = { 'content-type': 'application/json' } as const;
const bytes = (text: string | Buffer, headers: Readonly<Record<string, string>> = json): RequestOptions => ({
  bytes: Buffer.from(text),
  headers,
});

// The URL is good, so that nothing but its form can refuse a body.
const valid = '{"url":"https://example.com/"}';
const deep = `{"url":"https://example.com/","more":${'['.repeat(40)}${']'.repeat(40)}}`;

const badBodies: Readonly<Record<string, RequestOptions>> = {
  'invalid JSON': bytes('{"url":'),
  'plain text': bytes('url=https://example.com'),
  'an array': bytes('[]'),
  'a string': bytes('"https://example.com"'),
  null: bytes('null'),
  'two documents': bytes(`${valid}${valid}`),
  'no body at all': { headers: json },
  'a byte-order mark before it': bytes(`\uFEFF${valid}`),
  'bytes that are not UTF-8': bytes(
    Buffer.concat([Buffer.from('{"url":"https://example.com/'), Buffer.of(0xff, 0xfe), Buffer.from('"}')]),
  ),
  'nesting deeper than 32': bytes(deep),
  'more than 64 KiB': bytes(`{"url":"https://example.com/","more":"${'x'.repeat(70_000)}"}`),
  'another content type': bytes(valid, { 'content-type': 'text/plain' }),
  'a form': bytes('url=x', { 'content-type': 'application/x-www-form-urlencoded' }),
  'no content type': bytes(valid, {}),
};

const requests: readonly Check[] = [
  ...Object.entries(badBodies).map(([what, options]) =>
    check(`a body with ${what} is invalid_request`, [], async (ctx) =>
      expectInvalid(await ctx.customer.send('POST', '/v1/webhooks', options)),
    ),
  ),
  check('the last of duplicate members counts', [], async (ctx) => {
    const body = '{"url":"https://example.com/","url":"http://example.com/"}';
    expectPointer(await ctx.customer.send('POST', '/v1/webhooks', bytes(body)), '/url');
  }),
  check('repeating a refused request fails identically', [], async (ctx) => {
    const send = () => ctx.customer.post('/v1/webhooks', { url: 'http://example.com/' });
    const [one, other] = [await send(), await send()];
    for (const name of ['type', 'status', 'code', 'errors']) {
      expectEqual(name, at(other.json, name), at(one.json, name));
    }
  }),
  check(
    'an unknown query parameter is invalid_request, and the detail names the nearest known one',
    [],
    async (ctx) => {
      const misspelt = await ctx.customer.get('/v1/webhooks?limt=1');
      expectPointer(misspelt, '?limt');
      const detail = textAt(misspelt.json, 'detail');
      expectThat(detail.includes('`limit`'), 'a detail that names limit', detail);
    },
  ),
  check('a filter that an operation does not have is invalid_request', [], async (ctx) =>
    expectPointer(await ctx.customer.get('/v1/runs?status=failed'), '?status'),
  ),
  check('unknown members in the body of a registration are ignored', [], async (ctx) => {
    const refused = await ctx.customer.post('/v1/webhooks', { url: 'http://x/', colour: 'blue' });
    expectEqual('pointers', pointersOf(refused), ['/url']);
  }),
];

const noOperations = [
  'GET /',
  'GET /v1',
  'GET /v1/nothing',
  'GET /v1/webhooks/whe_0/nothing',
  'PUT /v1/webhooks',
  'PATCH /v1/webhooks/whe_0',
  'DELETE /v1/webhooks',
  'GET /v1/webhooks/whe_0/rotate',
];

const noRecords = [
  ...endpointOperations,
  ...resultOperations,
  `GET /v1/webhooks/${'x'.repeat(2_000)}`,
  'GET /v1/webhooks/%F0%9F%8E%AC',
];

const unknown: readonly Check[] = [
  ...noOperations.map((operation) =>
    check(`${operation}, which is not an operation, answers not_found without a credential`, [], async (ctx) =>
      expectNotFound(await sendTo(ctx.anonymous, operation)),
    ),
  ),
  ...noRecords.map((operation) =>
    check(`${shortened(operation)}, an id that does not exist, answers not_found`, [], async (ctx) =>
      expectNotFound(await sendTo(ctx.customer, operation)),
    ),
  ),
];

function shortened(operation: string): string {
  const [method = '', path = ''] = operation.split(' ');
  return `${method} ${path.slice(0, 60)}`;
}

const onRuns: readonly Check[] = engineProblems.map(({ code, members = {} }) =>
  checkOf(`${code} is kept on a stored Run, with its members`, storedRun.partial, ({ json: run }) => {
    const stored = listOrNone(run, 'problems').find((item) => at(item, 'code') === code);
    expectMembers(stored, { ...members, code, status: statusOfCode[code] });
  }),
);

const engineCodes = engineProblems.map(({ code }) => code).filter((code) => code !== 'internal_error');

const reached: readonly Check[] = [
  everyResponse(failures(), {
    name: 'no operation answers with a code of the engine',
    wanted: 'a code that operations raise',
    fault: ({ json: body }) => {
      const code = String(at(body, 'code'));
      return engineCodes.includes(code) ? `code ${code}` : null;
    },
  }),
];

export const errors = groupsOf('Errors', {
  'Every answer': everywhere,
  invalid_request: requests,
  not_found: unknown,
  'Codes of the engine': onRuns,
  'Codes of the engine in answers': reached,
});
