import { PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import { connectTable } from '#shared/aws/clients.ts';
import { readReceivedPosts } from '#shared/aws/received-posts.ts';
import { useFunctionClients } from '../../support/aws/aws-functions.ts';
import { commandsOf } from '../../support/aws/aws-mocks.ts';

const { table } = useFunctionClients();

const at = Date.UTC(2026, 10, 20, 9, 30);
const post = {
  method: 'POST',
  rawPath: '/smoke-1',
  body: Buffer.from('{"é":1}').toString('base64'),
};

async function receive({ method, ...event }: typeof post) {
  const { handler } = await import('../../../functions/smoke/receive/handler.ts');
  return await handler({
    ...event,
    rawQueryString: 'a=b',
    headers: { 'content-type': 'application/json', 'X-Service-Event-Id': 'evt_1' },
    isBase64Encoded: true,
    requestContext: { http: { method }, requestId: 'request-1', timeEpoch: at },
  });
}

describe('smoke/receive', () => {
  it('answers a POST with 200, and keeps its bytes and headers for an hour, where the smoke test reads them', async () => {
    table.on(PutCommand).resolves({});

    expect(await receive(post)).toMatchObject({ statusCode: 200 });

    const Item = table.commandCalls(PutCommand)[0]?.args[0].input.Item ?? {};
    expect(Item).toMatchObject({ mailbox: 'smoke-1', expires_at: at / 1_000 + 3_600 });
    table.on(QueryCommand).resolves({ Items: [Item] });
    expect(await readReceivedPosts(connectTable('received', () => undefined))('smoke-1')).toEqual([
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
    expect(await receive({ ...post, ...members })).toMatchObject({ statusCode });
    expect(commandsOf(table)).toEqual([]);
  });
});
