import { GetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { operationFolder } from '#shared/contract/functions.ts';
import { type OperationName, operationNames, type Route, routes } from '#shared/contract/routes.ts';
import { makeId } from '#shared/domain/ids.ts';
import { apiEvent, operationCommands, useFunctionClients } from '../../support/aws/aws-functions.ts';
import { lambdaContext } from '../../support/aws/lambda-events.ts';
import { webhookId } from '../../support/values/builders.ts';

// Every write to the table, and every call of KMS or a receiver, would turn these responses into a 500.
const { table } = useFunctionClients();

const base64 = (bytes: readonly number[] | string) => Buffer.from(bytes).toString('base64');

/** The answer of a handler: a problem whose headers are printable. */
async function problemOf(operation: OperationName, event: APIGatewayProxyEvent) {
  const path = new URL(`../../../functions/${operationFolder(operation)}/handler.ts`, import.meta.url).href;
  const { handler } = await import(/* @vite-ignore */ path);
  const { statusCode, headers, body }: APIGatewayProxyResult = await handler(event, lambdaContext);
  expect(headers).toMatchObject({ 'Content-Type': 'application/problem+json' });
  for (const header of Object.values(headers ?? {})) expect(header).toMatch(/^[ -~]+$/);
  return { statusCode, names: Object.keys(headers ?? {}), body, problem: JSON.parse(body) };
}

const register = (body: string) =>
  problemOf('registerWebhook', { ...apiEvent('POST', '/v1/webhooks', { body: {} }), body });

const invalid = (pointer: string) => ({
  statusCode: 400,
  problem: { status: 400, code: 'invalid_request', errors: [{ pointer, detail: expect.any(String) }] },
});
const url = 'https://hooks.example.com/';

describe('a hostile registration', () => {
  it.each([
    ['over 64 KiB', JSON.stringify({ url, description: 'x'.repeat(65_536) }), ''],
    ['1,000,000 levels', '['.repeat(1_000_000) + ']'.repeat(1_000_000), ''],
    ['two documents', `{"url":"${url}"}{}`, ''],
    ['a member of the prototype', `{"url":"${url}","__pr\\u006fto__":{"admin":true}}`, ''],
    ['an inherited URL', '{"toString":1,"constructor":5,"prototype":{}}', '/url'],
    ['two URLs, the last of which is none', `{"url":"${url}","url":5}`, '/url'],
  ])('a hostile registration is refused, and nothing is stored: %s', async (_case, body, pointer) => {
    expect(await register(body)).toMatchObject(invalid(pointer));
    expect(operationCommands(table)).toEqual([]);
    expect(Object.keys(Object.prototype)).toEqual([]);
  });
});

const ofCustomers = operationNames.filter((name) => routes[name].access === 'customer');

describe('a hostile path', () => {
  const operations = ofCustomers.filter((name) => /\{(id|deliveryId)\}/.test(routes[name].path));
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
    'whsec_1',
    `${webhookId}#`,
    makeId('customer', 0, new Uint8Array(10)),
    'x'.repeat(8_000),
  ];

  it('a hostile handle is not found, and not repeated', async () => {
    table.on(QueryCommand).resolves({});
    const { method, path } = routes.listCreatorVideos;
    for (const handle of odd) {
      const event = apiEvent(method, path, { path: { platform: 'tiktok', handle } });

      const { body, ...answer } = await problemOf('listCreatorVideos', event);

      expect(answer, handle).toMatchObject({ statusCode: 404, problem: { code: 'not_found' } });
      if (handle !== '') expect(body).not.toContain(JSON.stringify(handle).slice(1, -1));
    }
  });

  it.each(operations)('a hostile path is not found by %s, without a read', async (operation) => {
    const { method, path } = routes[operation];
    for (const value of odd) {
      const event = apiEvent(method, path, {
        path: { id: value, deliveryId: value },
      });
      const forged = {
        'X-Request-Id': value,
        'X-Amzn-RequestId': value,
        'X-Amzn-Trace-Id': value,
        'X-Forwarded-Host': value,
        'X-Forwarded-Proto': 'gopher',
        'X-HTTP-Method-Override': 'DELETE',
        Origin: value,
        Cookie: value,
      };

      const { names, body, ...answer } = await problemOf(operation, {
        ...event,
        headers: { ...event.headers, ...forged },
      });

      expect(answer, value).toMatchObject({
        statusCode: 404,
        problem: { code: 'not_found', instance: 'request-1' },
      });
      expect(names).not.toContain('Set-Cookie');
      if (value !== '') expect(body).not.toContain(JSON.stringify(value).slice(1, -1));
      expect(operationCommands(table), value).toEqual([]);
    }
  });
});

describe('a hostile query', () => {
  const lists = ofCustomers.filter((name) => {
    const { method, path }: Route = routes[name];
    return method === 'GET' && /s$/.test(path) && !path.includes('{');
  });
  const odd: readonly (readonly [string, string])[] = [
    ...['\u0000', '5\r\nSet-Cookie: a=b', '9'.repeat(8_000), '٣', '0x10', '1e1', ' 5'].map(
      (value) => ['limit', value] as const,
    ),
    ...['\u0000', '\r\n', '\ud800', 'A'.repeat(8_000), '../../', '__proto__'].map(
      (value) => ['cursor', value] as const,
    ),
  ];

  it('hostile queries are sent to every list without a parent', () => {
    expect(lists).toEqual(expect.arrayContaining(['listWebhooks', 'listRuns']));
  });

  it.each(lists)(
    'a hostile query is refused by %s, which reads nothing of the customer',
    async (operation) => {
      const { method, path } = routes[operation];
      table
        .on(GetCommand, { Key: { pk: 'CURSOR_SECRET', sk: 'CURSOR_SECRET' } })
        .resolves({ Item: { secret: base64('x'.repeat(32)) } });
      for (const [name, value] of odd) {
        const answer = await problemOf(operation, apiEvent(method, path, { query: { [name]: value } }));

        expect(answer, value).toMatchObject(invalid(`?${name}`));
        expect(answer.body).not.toContain(JSON.stringify(value).slice(1, -1).slice(0, 50));
      }
      const reads = operationCommands(table).map((command) => JSON.stringify(command));
      expect(reads.filter((read) => !read.includes('CURSOR_SECRET'))).toEqual([]);
    },
  );
});
