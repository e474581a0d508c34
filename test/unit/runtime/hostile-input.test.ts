import { GetCommand } from '@aws-sdk/lib-dynamodb';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { type OperationName, operationNames, type Route, routes } from '#shared/contract/routes.ts';
import {
  apiEvent,
  operationCommands,
  setEnvironment,
  useFunctionClients,
} from '../../support/aws/aws-functions.ts';
import { lambdaContext } from '../../support/aws/lambda-events.ts';

// Every write to the table, and every call of KMS or a receiver, would turn these responses into a 500.
const { table } = useFunctionClients();
setEnvironment({ SUPPORTED_PLATFORMS: 'tiktok' });

const base64 = (bytes: readonly number[] | string) => Buffer.from(bytes).toString('base64');

async function handlerOf(operation: OperationName) {
  const folder = operation.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  const path = new URL(`../../../functions/api/${folder}/handler.ts`, import.meta.url).href;
  const { handler } = await import(/* @vite-ignore */ path);
  return (event: APIGatewayProxyEvent) => handler(event, lambdaContext);
}

async function register(body: string, given: Partial<APIGatewayProxyEvent> = {}) {
  const handler = await handlerOf('registerWebhook');
  const event = { ...apiEvent('POST', '/v1/webhooks', { body: {} }), body, ...given };
  const answer = await handler(event);
  return { ...answer, problem: JSON.parse(answer.body) };
}

const invalid = (pointer: string) => ({
  statusCode: 400,
  headers: { 'Content-Type': 'application/problem+json' },
  problem: { status: 400, code: 'invalid_request', errors: [{ pointer, detail: expect.any(String) }] },
});
const url = 'https://hooks.example.com/';
const wrap = (open: string, depth: number, close: string) => open.repeat(depth) + close.repeat(depth);
const escaped = (description: string) => `{"url":"${url}","description":"${description}"}`;

describe('a hostile registration', () => {
  const wholes: readonly (readonly [string, string])[] = [
    ['over 64 KiB of text', JSON.stringify({ url, description: 'x'.repeat(65_536) })],
    ['over 64 KiB of blanks', `{"url":"${url}"${' '.repeat(65_536)}}`],
    ['33 levels in a member that nobody reads', `{"url":"${url}","more":${wrap('[', 32, ']')}}`],
    ['30,000 levels of arrays', wrap('[', 30_000, ']')],
    ['10,000 levels of objects that never end', '{"a":'.repeat(10_000)],
    ['1,000,000 levels', wrap('[', 1_000_000, ']')],
    ['a number', '5'],
    ['text', `"${url}"`],
    ['an array', `["${url}"]`],
    ['nothing', 'null'],
    ['two documents', `{"url":"${url}"}{}`],
    ['a member of the prototype', `{"url":"${url}","__proto__":{"admin":true}}`],
    ['a member of the prototype, written in escapes', `{"url":"${url}","__pr\\u006fto__":{"admin":true}}`],
    ['a member of the prototype, deep inside', `{"url":"${url}","a":[{"b":{"__proto__":{"admin":true}}}]}`],
    ['a constructor with a prototype', `{"url":"${url}","constructor":{"prototype":{"admin":true}}}`],
    ['a NUL between the members', `{"url":"${url}"\u0000}`],
    ['a raw line end in a text', `{"url":"${url}","description":"a\nb"}`],
  ];
  const members: readonly (readonly [string, string, string])[] = [
    ['no URL', '{}', '/url'],
    ['a URL in another case', `{"URL":"${url}"}`, '/url'],
    ['an inherited URL', '{"toString":1}', '/url'],
    ...['5', 'null', 'true', '[]', '{}', '""', '["a"]', '"\\ud800"'].map(
      (value) => [`the URL ${value}`, `{"url":${value}}`, '/url'] as const,
    ),
    ...['https://hooks.example.com/\\ud800', 'https://hooks.example.com/?a=\\udc00\\ud800'].map(
      (value) => [`the URL ${value}`, `{"url":"${value}"}`, '/url'] as const,
    ),
    ...['5', 'null', 'false', '[]', '{}'].map(
      (value) =>
        [`the description ${value}`, `{"url":"${url}","description":${value}}`, '/description'] as const,
    ),
    ...[
      '\\ud800',
      '\\udfff',
      'a\\udc00b',
      '\\udc00\\ud800',
      '\\ud83c',
      '\\u0000',
      'a\\u0007',
      '\\u001b[31m',
      '\\u007f',
      '\\u0085',
    ].map((value) => [`the description ${value}`, escaped(value), '/description'] as const),
    ['a long description', escaped('x'.repeat(10_000)), '/description'],
    ['two URLs, the last of which is none', `{"url":"${url}","url":5}`, '/url'],
    ['a constructor of no importance', '{"constructor":5,"prototype":{},"hasOwnProperty":1}', '/url'],
  ];

  it.each([...wholes.map(([name, body]) => [name, body, ''] as const), ...members])(
    'a hostile registration is refused, and nothing is stored: %s',
    async (_case, body, pointer) => {
      const answer = await register(body);

      expect(answer).toMatchObject(invalid(pointer));
      expect(operationCommands(table)).toEqual([]);
      expect(Object.keys(Object.prototype)).toEqual([]);
      expect({}).not.toHaveProperty('admin');
    },
  );

  it.each([
    ['a lone byte', [0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xff, 0x22, 0x7d]],
    ['a surrogate as bytes', [0x22, 0xed, 0xa0, 0x80, 0x22]],
    ['UTF-16', [0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00]],
  ])('a registration that is not UTF-8 is refused: %s', async (_case, bytes) => {
    const answer = await register(base64(bytes), { isBase64Encoded: true });

    expect(answer).toMatchObject(invalid(''));
    expect(operationCommands(table)).toEqual([]);
  });

  it('a forbidden member is reported differently from invalid JSON', async () => {
    const broken = await register('{"url":');
    const forbidden = await register('{"__proto__":{}}');

    expect(broken.problem.detail).toBe('The body must be valid JSON');
    expect(forbidden.problem.detail).toMatch(/^The body must not have a member `__proto__`/);
  });
});

describe('a hostile path', () => {
  const operations = operationNames.filter((name) => {
    const route: Route = routes[name];
    return route.access === 'customer' && /\{(id|deliveryId)\}/.test(route.path);
  });
  const odd = [
    '',
    '\u0000',
    'whe_\u0000',
    '\r\nSet-Cookie: a=b',
    'whe_01\r\n\r\n<html>',
    '\ud800',
    '%00',
    '%ff',
    '%2e%2e%2f',
    '../../etc/passwd',
    '__proto__',
    'constructor',
    '#',
    'x'.repeat(8_000),
  ];
  const cases = operations.flatMap((operation) => odd.map((value) => ({ operation, value })));

  it.each(cases)('a hostile path is not found by $operation: $value', async ({ operation, value }) => {
    const { method, path } = routes[operation];
    const handler = await handlerOf(operation);
    const event = apiEvent(method, path, { path: { id: value, deliveryId: value } });
    const spoof = {
      'X-Request-Id': value,
      'X-Amzn-Trace-Id': value,
      'X-Forwarded-Host': value,
      Origin: value,
    };

    const answer = await handler({ ...event, headers: { ...event.headers, ...spoof } });

    expect(answer).toMatchObject({
      statusCode: 404,
      headers: { 'Content-Type': 'application/problem+json' },
    });
    expect(JSON.parse(answer.body)).toMatchObject({ code: 'not_found', instance: 'request-1' });
    for (const header of Object.values(answer.headers)) expect(header).toMatch(/^[ -~]+$/);
    expect(Object.keys(answer.headers)).not.toContain('Set-Cookie');
    if (value !== '') expect(answer.body).not.toContain(JSON.stringify(value).slice(1, -1));
    expect(operationCommands(table)).toEqual([]);
  });
});

describe('a hostile query', () => {
  const listing = operationNames.filter((name) => {
    const route: Route = routes[name];
    return (
      route.access === 'customer' &&
      route.method === 'GET' &&
      /s$/.test(route.path) &&
      !route.path.includes('{')
    );
  });
  const odd: readonly (readonly [string, string])[] = [
    ['limit', '\u0000'],
    ['limit', '5\r\nSet-Cookie: a=b'],
    ['limit', '9'.repeat(8_000)],
    ['limit', '٣'],
    ['limit', '0x10'],
    ['limit', '1e1'],
    ['limit', ' 5'],
    ['cursor', '\u0000'],
    ['cursor', '\r\n'],
    ['cursor', '\ud800'],
    ['cursor', 'A'.repeat(8_000)],
    ['cursor', '../../'],
    ['cursor', '__proto__'],
  ];
  const cases = listing.flatMap((operation) => odd.map(([name, value]) => ({ operation, name, value })));

  it('hostile queries are sent to every list without a parent', () => {
    expect(listing).toEqual(expect.arrayContaining(['listWebhooks', 'listRuns']));
  });

  it.each(cases)(
    'a hostile query is refused by $operation: $name=$value',
    async ({ operation, name, value }) => {
      const { method, path } = routes[operation];
      const handler = await handlerOf(operation);
      table.on(GetCommand, { Key: { pk: 'CURSOR_SECRET', sk: 'CURSOR_SECRET' } }).resolves({
        Item: { pk: 'CURSOR_SECRET', sk: 'CURSOR_SECRET', secret: base64('x'.repeat(32)) },
      });

      const answer = await handler(apiEvent(method, path, { query: { [name]: value } }));

      expect(answer.statusCode).toBe(400);
      expect(JSON.parse(answer.body)).toMatchObject({ errors: [{ pointer: `?${name}` }] });
      expect(answer.body).not.toContain(JSON.stringify(value).slice(1, -1).slice(0, 50));
      for (const header of Object.values(answer.headers)) expect(header).toMatch(/^[ -~]+$/);
      expect(operationCommands(table).every((command) => /CURSOR_SECRET/.test(JSON.stringify(command)))).toBe(
        true,
      );
    },
  );
});
