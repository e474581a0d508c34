import { type Check, check, checksOf, type Group } from '../harness/check.ts';
import type { RequestOptions } from '../harness/client.ts';
import { headerOf, isSuccess, mediaType } from '../harness/exchange.ts';
import { at, expectEqual, expectThat, show, textAt } from '../harness/expect.ts';
import { statusOfCode } from '../harness/problem-table.ts';
import { engineProblems, journey } from '../scenarios/journey.ts';
import { isThere, runsPath } from '../scenarios/lists.ts';
import { everyAnswer, sampleBoth, sampleFailures, sampleSuccess } from './every-answer.ts';
import { expectPointer, expectProblem, isFailure } from './problems.ts';

const everywhere: readonly Check[] = [
  everyAnswer({
    name: 'every failure is application/problem+json',
    wanted: 'Content-Type: application/problem+json',
    appliesTo: isFailure,
    fault: (exchange) =>
      mediaType(exchange) === 'application/problem+json' ? null : `Content-Type ${show(mediaType(exchange))}`,
    sample: sampleFailures,
  }),
  everyAnswer({
    name: 'a code has the same status everywhere',
    wanted: 'the status of the code',
    appliesTo: (exchange) => isFailure(exchange) && at(exchange.json, 'code') !== undefined,
    fault: ({ status, json }) => {
      const code = String(at(json, 'code'));
      const wanted = statusOfCode[code];
      return wanted === undefined || wanted === status ? null : `${code} with ${status}`;
    },
    sample: sampleFailures,
  }),
  everyAnswer({
    name: 'no answer is a server error',
    wanted: 'no 5xx',
    appliesTo: () => true,
    fault: ({ status }) => (status < 500 ? null : `status ${status}`),
    sample: sampleBoth,
  }),
  everyAnswer({
    name: 'every success with a body is JSON',
    wanted: 'Content-Type: application/json and a JSON body',
    appliesTo: (exchange) =>
      isSuccess(exchange) && exchange.status !== 204 && exchange.request.path.startsWith('/v1/'),
    fault: (exchange) => {
      if (mediaType(exchange) !== 'application/json') return `Content-Type ${show(mediaType(exchange))}`;
      return exchange.json === undefined ? `body ${show(exchange.text)}` : null;
    },
    sample: sampleSuccess,
  }),
  everyAnswer({
    name: 'no answer may be stored by a cache',
    wanted: 'Cache-Control: no-store',
    appliesTo: ({ request }) => request.path.startsWith('/v1/'),
    fault: (exchange) => {
      const value = headerOf(exchange, 'cache-control') ?? '';
      return value.includes('no-store') ? null : `Cache-Control ${show(value)}`;
    },
    sample: sampleBoth,
  }),
  everyAnswer({
    name: 'no answer may be read as another type',
    wanted: 'X-Content-Type-Options: nosniff',
    appliesTo: () => true,
    fault: (exchange) => {
      const value = headerOf(exchange, 'x-content-type-options');
      return value === 'nosniff' ? null : `X-Content-Type-Options ${show(value)}`;
    },
    sample: sampleBoth,
  }),
];

const json = { 'content-type': 'application/json' } as const;
const bytes = (text: string | Buffer, headers: Readonly<Record<string, string>> = json): RequestOptions => ({
  bytes: Buffer.from(text),
  headers,
});

type BadBody = { readonly what: string; readonly options: RequestOptions };

// The URL is good, so that nothing but its form can refuse a body.
const valid = '{"url":"https://example.com/"}';
const deep = `{"url":"https://example.com/","more":${'['.repeat(40)}${']'.repeat(40)}}`;

const badBodies: readonly BadBody[] = [
  { what: 'invalid JSON', options: bytes('{"url":') },
  { what: 'plain text', options: bytes('url=https://example.com') },
  { what: 'an array', options: bytes('[]') },
  { what: 'a string', options: bytes('"https://example.com"') },
  { what: 'null', options: bytes('null') },
  { what: 'two documents', options: bytes(`${valid}${valid}`) },
  { what: 'no body at all', options: { headers: json } },
  { what: 'a byte-order mark before it', options: bytes(`\uFEFF${valid}`) },
  {
    what: 'bytes that are not UTF-8',
    options: bytes(
      Buffer.concat([Buffer.from('{"url":"https://example.com/'), Buffer.of(0xff, 0xfe), Buffer.from('"}')]),
    ),
  },
  { what: 'nesting deeper than 32', options: bytes(deep) },
  {
    what: 'more than 64 KiB',
    options: bytes(`{"url":"https://example.com/","more":"${'x'.repeat(70_000)}"}`),
  },
  { what: 'another content type', options: bytes(valid, { 'content-type': 'text/plain' }) },
  { what: 'a form', options: bytes('url=x', { 'content-type': 'application/x-www-form-urlencoded' }) },
  { what: 'no content type', options: bytes(valid, {}) },
];

const requests: readonly Check[] = [
  ...checksOf(
    badBodies,
    [],
    ({ what }) => `a body with ${what} is invalid_request`,
    async (ctx, { options }) =>
      expectProblem(await ctx.customer.send('POST', '/v1/webhooks', options), 400, 'invalid_request'),
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
  check('a filter that an operation does not have is invalid_request', [], async (ctx) => {
    expectPointer(await ctx.customer.get('/v1/runs?status=failed'), '?status');
  }),
  check('unknown members of a body are ignored', ['receiver'], async (ctx) => {
    const refused = await ctx.customer.post('/v1/webhooks', { url: 'http://x/', colour: 'blue' });
    const errors = at(refused.json, 'errors');
    const pointers = Array.isArray(errors) ? errors.map((error) => at(error, 'pointer')) : [];
    expectEqual('pointers', pointers, ['/url']);
  }),
];

const unknown: readonly Check[] = [
  ...checksOf(
    [
      { method: 'GET', path: '/' },
      { method: 'GET', path: '/v1' },
      { method: 'GET', path: '/v1/nothing' },
      { method: 'GET', path: '/v1/webhooks/whe_0/nothing' },
      { method: 'PUT', path: '/v1/webhooks' },
      { method: 'PATCH', path: '/v1/webhooks/whe_0' },
      { method: 'DELETE', path: '/v1/webhooks' },
      { method: 'GET', path: '/v1/webhooks/whe_0/rotate' },
    ],
    [],
    ({ method, path }) =>
      `${method} ${path}, which is not an operation, answers not_found without a credential`,
    async (ctx, { method, path }) => expectProblem(await ctx.anonymous.send(method, path), 404, 'not_found'),
  ),
  ...checksOf(
    [
      { method: 'GET', path: '/v1/webhooks/whe_0' },
      { method: 'DELETE', path: '/v1/webhooks/whe_0' },
      { method: 'POST', path: '/v1/webhooks/whe_0/rotate' },
      { method: 'GET', path: '/v1/webhooks/whe_0/deliveries' },
      { method: 'GET', path: '/v1/webhooks/whe_0/deliveries/whd_0' },
      { method: 'POST', path: '/v1/webhooks/whe_0/deliveries/whd_0/replay' },
      { method: 'GET', path: '/v1/runs/run_0' },
      { method: 'GET', path: '/v1/runs/run_0/items' },
      { method: 'GET', path: '/v1/trackers/trk_0' },
      { method: 'GET', path: '/v1/trackers/trk_0/changes' },
      { method: 'GET', path: `/v1/webhooks/${'x'.repeat(2_000)}` },
      { method: 'GET', path: '/v1/webhooks/%F0%9F%8E%AC' },
    ],
    [],
    ({ method, path }) => `${method} ${path.slice(0, 60)}, an id that does not exist, answers not_found`,
    async (ctx, { method, path }) => expectProblem(await ctx.customer.send(method, path), 404, 'not_found'),
  ),
];

const onRuns: readonly Check[] = engineProblems.map(({ code, status, members = {} }) =>
  check(`${code} is kept on a stored Run, with its members`, ['intake'], async (ctx) => {
    const { partial } = await journey(ctx);
    const { json: run } = await isThere(ctx, `${runsPath}/${partial.id}`);
    const problems = at(run, 'problems');
    const stored = Array.isArray(problems) ? problems.find((item) => at(item, 'code') === code) : undefined;
    for (const [name, value] of Object.entries({ ...members, code, status })) {
      expectEqual(name, at(stored, name), value);
    }
  }),
);

const engineCodes = engineProblems.map(({ code }) => code).filter((code) => code !== 'internal_error');

const reached: readonly Check[] = [
  everyAnswer({
    name: 'no operation answers with a code of the engine',
    wanted: 'a code that operations raise',
    appliesTo: isFailure,
    fault: ({ json: body }) => {
      const code = String(at(body, 'code'));
      return engineCodes.includes(code) ? `code ${code}` : null;
    },
    sample: sampleFailures,
  }),
];

const group = (section: string, checks: readonly Check[]): Group => ({ heading: 'Errors', section, checks });

export const errors: readonly Group[] = [
  group('Every answer', everywhere),
  group('invalid_request', requests),
  group('not_found', unknown),
  group('Codes of the engine', onRuns),
  group('Codes of the engine in answers', reached),
];
