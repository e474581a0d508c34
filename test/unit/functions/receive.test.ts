import { PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { connectTable } from '#shared/aws/clients.ts';
import { readReceivedPosts } from '#shared/aws/received-posts.ts';
import { useFunctionClients } from '../../support/aws/aws-functions.ts';
import { commandsOf } from '../../support/aws/aws-mocks.ts';

const { table } = useFunctionClients();

const at = Date.UTC(2026, 10, 20, 9, 30);

function post(members: { readonly method?: string; readonly rawPath?: string; readonly body?: string } = {}) {
  const { method = 'POST', rawPath = '/smoke-1', body = Buffer.from('{"é":1}').toString('base64') } = members;
  return {
    rawPath,
    rawQueryString: 'a=b',
    headers: { 'content-type': 'application/json', 'X-Service-Event-Id': 'evt_1' },
    body,
    isBase64Encoded: true,
    requestContext: { http: { method }, requestId: 'request-1', timeEpoch: at },
  };
}

async function receive(event: ReturnType<typeof post>) {
  const { handler } = await import('../../../functions/smoke/receive/handler.ts');
  return await handler(event);
}

const puts = z.tuple([z.object({ PutCommand: z.object({ Item: z.record(z.string(), z.unknown()) }) })]);

/** The item of the one command that was sent. */
function putItem(): Record<string, unknown> {
  return puts.parse(commandsOf(table))[0].PutCommand.Item;
}

beforeEach(() => {
  table.on(PutCommand).resolves({});
});

describe('smoke/receive', () => {
  it('answers a POST with 200, and keeps its bytes and headers for an hour, where the smoke test reads them', async () => {
    expect(await receive(post())).toMatchObject({ statusCode: 200 });

    const Item = putItem();
    expect(Item).toMatchObject({ mailbox: 'smoke-1', expires_at: at / 1_000 + 3_600 });
    table.on(QueryCommand).resolves({ Items: [Item] });
    const read = readReceivedPosts(connectTable('received', () => undefined));
    expect(await read('smoke-1')).toEqual([
      {
        mailbox: 'smoke-1',
        requestId: 'request-1',
        at,
        path: '/smoke-1?a=b',
        headers: { 'content-type': 'application/json', 'x-service-event-id': 'evt_1' },
        body: Buffer.from('{"é":1}'),
      },
    ]);
  });

  it.each([
    ['another method', { method: 'GET' }, 405],
    ['no mailbox', { rawPath: '/' }, 404],
    ['a body that no item of the table could hold', { body: 'A'.repeat(200_000) }, 413],
  ])('stores nothing for %s', async (_, members, statusCode) => {
    expect(await receive(post(members))).toMatchObject({ statusCode });
    expect(commandsOf(table)).toEqual([]);
  });
});
