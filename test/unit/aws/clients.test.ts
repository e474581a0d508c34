import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { connectTable } from '#shared/aws/clients.ts';
import { unexpected } from '../../support/operations/deps.ts';

let server: Server | undefined;

afterEach(() => {
  server?.close();
  server?.closeAllConnections();
});

/** Answers each request with the next of these errors, then with an empty item. */
async function startDynamodb(
  errors: readonly string[],
): Promise<{ readonly url: string; readonly requests: () => number }> {
  let requests = 0;
  const listening = createServer((request, response) => {
    const error = errors[requests];
    requests += 1;
    request.resume();
    response.writeHead(error === undefined ? 200 : 400, { 'content-type': 'application/x-amz-json-1.0' });
    response.end(
      JSON.stringify(
        error === undefined
          ? { Item: { pk: { S: 'A' } } }
          : { __type: `com.amazonaws.dynamodb.v20120810#${error}` },
      ),
    );
  });
  server = listening;
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
  const { port } = listening.address() as AddressInfo;
  vi.stubEnv('AWS_REGION', 'us-east-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'test');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test');
  const url = `http://127.0.0.1:${port}`;
  vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', url);
  return { url, requests: () => requests };
}

const get = () => {
  const { client, name } = connectTable('table', unexpected('report'));
  return client.get({ TableName: name, Key: { pk: 'A' } });
};

describe('connectTable()', () => {
  it('repeats a request that conflicts with a transaction on its item', async () => {
    const { requests } = await startDynamodb(['TransactionConflictException']);

    const answer = await get();

    expect(answer.Item).toEqual({ pk: 'A' });
    expect(requests()).toBe(2);
  });

  it('sends requests to the given address instead of the one in the environment', async () => {
    const { url, requests } = await startDynamodb([]);
    vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', 'http://127.0.0.1:1');
    vi.stubEnv('AWS_REGION', undefined);
    const address = {
      endpoint: url,
      region: 'us-east-1',
      credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    };

    const { client } = connectTable('table', unexpected('report'), address);
    await client.get({ TableName: 'table', Key: { pk: 'A' } });

    expect(requests()).toBe(1);
  });

  it('does not repeat an invalid request', async () => {
    const { requests } = await startDynamodb(['ValidationException']);

    await expect(get()).rejects.toThrow();

    expect(requests()).toBe(1);
  });
});
