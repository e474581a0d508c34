import { createServer } from 'node:http';
import type { Socket } from 'node:net';
import { GetItemCommand } from '@aws-sdk/client-dynamodb';
import { ListQueuesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { clientSettings, requestTries } from '#shared/aws/client-settings.ts';
import { connectDynamodb, connectQueues, connectServedTable, type Table } from '#shared/aws/clients.ts';
import { KeptConnectionsHandler } from '#shared/aws/kept-connections.ts';
import { readLiveEndpoint } from '#shared/aws/table/endpoints/endpoints.ts';
import { groupReads } from '#shared/aws/table/grouped-requests.ts';
import { liveEndpointKey } from '#shared/aws/table/keys.ts';
import { listenOnLoopback } from '../../../tools/local/servers/loopback-server.ts';
import { startOfTest } from '../../support/values/builders.ts';

const clients: readonly [string, () => () => Promise<unknown>][] = [
  [
    'DynamoDB',
    () => {
      const client = connectDynamodb();
      return () => client.send(new GetItemCommand({ TableName: 'table', Key: { pk: { S: 'A' } } }));
    },
  ],
  [
    'SQS',
    () => {
      const client = connectQueues();
      return () => client.send(new ListQueuesCommand({}));
    },
  ],
];

beforeEach(() => {
  vi.stubEnv('AWS_REGION', 'us-east-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'test');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test');
});

/**
 * After a function was frozen, every connection that it keeps may have ended: the service closed it, and its packets
 * are lost.
 */
describe('connections that ended while a function was frozen', () => {
  it.each(clients.flatMap(([name, connect]) => [1, 5, 120].map((calls) => [name, calls, connect] as const)))(
    '%s: none of %i calls fails, and each is repeated once at most',
    async (_name, calls, connect) => {
      const service = await startService(calls);
      const call = connect();
      await callTimes(call, calls);

      service.endConnections();
      await callTimes(call, calls);

      expect(service.requests()).toBeLessThanOrEqual(3 * calls);
    },
  );

  it.each(clients)('%s: one call does not meet one ended connection after the other', async (_name, connect) => {
    const service = await startService(20);
    const call = connect();
    await callTimes(call, 20);

    service.endConnections();
    await call();

    expect(service.requests()).toBe(22);
  });
});

it.each([
  ['idle for 50 seconds', 50_000, 2],
  ['idle for less', 49_999, 1],
  ['idle since a time that is to come, because the clock was set back', -1, 2],
])('a connection that is %s is used or replaced', async (_case, passed, connections) => {
  const service = await startService(1);
  let now = startOfTest;
  const requestHandler = new KeptConnectionsHandler(clientSettings().requestHandler, () => now);
  const client = new SQSClient({ ...clientSettings(), region: 'us-east-1', requestHandler });

  await client.send(new ListQueuesCommand({}));
  now += passed;
  await client.send(new ListQueuesCommand({}));

  expect(service.connections()).toBe(connections);
});

it.each<[string, (table: Table) => (onSent: () => void) => Promise<unknown>]>([
  [
    'in a group, after one that nobody asks about',
    (table) => (onSent) => {
      const read = groupReads(table);
      return Promise.all([read(liveEndpointKey('cus_1', 'whe_1')), read(liveEndpointKey('cus_1', 'whe_2'), onSent)]);
    },
  ],
  ['alone', (table) => (onSent) => readLiveEndpoint(table, 'cus_1', 'whe_1', onSent)],
])('a read of an endpoint %s says when its request leaves, each time that it is tried', async (_how, readerOf) => {
  const service = await startService(1);
  const read = readerOf(connectServedTable('table', () => undefined, Date.now));
  const seen: number[] = [];
  const onSent = () => void seen.push(service.requests());

  await read(onSent);
  service.endConnections();
  await read(onSent);

  expect(seen).toEqual([0, 1, 2]);
  expect(service.requests()).toBe(3);
});

it('a new connection that ends is left to the retries of the SDK', async () => {
  const service = await startService(1);
  service.endConnections('all');

  await expect(connectQueues().send(new ListQueuesCommand({}))).rejects.toThrow('ECONNRESET');

  expect(service.requests()).toBe(requestTries);
});

async function callTimes(call: () => Promise<unknown>, times: number): Promise<void> {
  await Promise.all(Array.from({ length: times }, call));
}

/** Answers its first requests together, so that each has a connection of its own. */
async function startService(together: number) {
  let requests = 0;
  const waiting: (() => void)[] = [];
  const ended = new WeakSet<Socket>();
  const known: Socket[] = [];
  let areAllEnded = false;
  const server = createServer((request, response) => {
    requests += 1;
    const answer = () => response.end('{}');
    if (areAllEnded || ended.has(request.socket)) request.socket.resetAndDestroy();
    else if (requests > together) answer();
    else if (waiting.push(answer) === together) for (const each of waiting) each();
  }).on('connection', (socket) => known.push(socket));
  server.keepAliveTimeout = 0;
  const { url, close } = await listenOnLoopback(server, 0);
  onTestFinished(() => close());
  vi.stubEnv('AWS_ENDPOINT_URL', url);
  return {
    requests: () => requests,
    connections: () => known.length,
    /** The next request on one of its connections finds that it has ended. */
    endConnections: (which: 'present' | 'all' = 'present') => {
      areAllEnded = which === 'all';
      for (const socket of known) ended.add(socket);
    },
  };
}
