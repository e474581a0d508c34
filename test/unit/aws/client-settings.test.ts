import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import { GetItemCommand } from '@aws-sdk/client-dynamodb';
import { ListQueuesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { clientSettings, idleTimeout, requestTries } from '#shared/aws/client-settings.ts';
import { connectDynamodb, connectQueues } from '#shared/aws/clients.ts';
import { type FunctionFolder, operationFolder } from '#shared/contract/functions.ts';
import { operationNames } from '#shared/contract/routes.ts';
import { customerMemory } from '#shared/domain/customer.ts';
import { requestLease } from '#shared/domain/request-key.ts';
import { attemptTimeout } from '#shared/domain/retry-plan.ts';
import { quietTime } from '#shared/operations/operator/delete-customer.ts';
import { functions } from '../../../lib/functions/functions.ts';
import { listenOnLoopback } from '../../../tools/local/servers/loopback-server.ts';

describe('clientSettings()', () => {
  let connections = 0;
  /** Starts the only service of the environment. */
  async function listen(answer: RequestListener): Promise<void> {
    const server = createServer(answer).on('connection', () => {
      connections += 1;
    });
    const { url, close } = await listenOnLoopback(server, 0);
    onTestFinished(() => close());
    vi.stubEnv('AWS_ENDPOINT_URL', url);
  }
  beforeEach(() => {
    connections = 0;
    vi.stubEnv('AWS_REGION', 'us-east-1');
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'test');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test');
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const connect = (change: object) => {
    const settings = clientSettings();
    return new SQSClient({ ...settings, requestHandler: { ...settings.requestHandler, ...change } });
  };

  it('a client gives up on a service that never answers, after three requests', async () => {
    await listen(() => undefined);

    const asked = connect({ connectionTimeout: 0, socketTimeout: 20 }).send(new ListQueuesCommand({}));

    await expect(asked).rejects.toMatchObject({
      name: 'TimeoutError',
      $metadata: { attempts: requestTries },
    });
    // The server may read a request only after it was given up; its connection is there in any case.
    await expect.poll(() => connections).toBe(requestTries);
  });

  it('a client waits for a request that is queued behind others', async () => {
    const first = Promise.withResolvers<() => void>();
    let requests = 0;
    await listen((_request, response) => {
      requests += 1;
      if (requests === 1) first.resolve(() => response.end('{}'));
      else response.end('{}');
    });
    // To be connected in time is another limit. The one on silence keeps the real time.
    const client = connect({ connectionTimeout: 0, httpAgent: { maxSockets: 1 } });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });

    const answers = Promise.all([1, 2].map(() => client.send(new ListQueuesCommand({}))));
    const answerFirst = await first.promise;
    vi.advanceTimersByTime(10 * clientSettings().requestHandler.socketTimeout);
    answerFirst();
    await answers;

    expect(requests).toBe(2);
  });

  it('no request of a burst waits for the connection of another, because the connection timeout counts that wait', async () => {
    const burst = 120;
    const waiting: ServerResponse[] = [];
    await listen((_request, response) => {
      if (waiting.push(response) < burst) return;
      for (const each of waiting) each.end('{}');
    });
    const client = connect({ connectionTimeout: 0, socketTimeout: 0 });

    await Promise.all(Array.from({ length: burst }, () => client.send(new ListQueuesCommand({}))));

    expect(connections).toBe(burst);
  });

  it.each([
    ['through the proxy of the environment, where Node.js is told to use it', '1', ['127.0.0.1:1']],
    ['directly otherwise', undefined, []],
  ])('a client calls AWS %s', async (_, isUsed, expected) => {
    const tunnels: (string | undefined)[] = [];
    const proxy = createServer().on('connect', ({ url }, socket) => {
      tunnels.push(url);
      socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
    });
    const { url, close } = await listenOnLoopback(proxy, 0);
    onTestFinished(() => close());
    vi.stubEnv('NODE_USE_ENV_PROXY', isUsed);
    vi.stubEnv('HTTPS_PROXY', url);
    for (const name of ['NO_PROXY', 'no_proxy']) vi.stubEnv(name, '');

    const asked = connectQueues({ endpoint: 'https://127.0.0.1:1' }).send(new ListQueuesCommand({}));

    await expect(asked).rejects.toThrow();
    expect([...new Set(tunnels)]).toEqual(expected);
  });

  it('every client of the SDK has the shared settings', async () => {
    await listen((_request, response) => void response.end('{}'));
    const [table, queues] = [connectDynamodb(), connectQueues()];
    // A client reads its settings when it is first used.
    await Promise.all([
      table.send(new GetItemCommand({ TableName: 'table', Key: { pk: { S: 'A' } } })),
      queues.send(new ListQueuesCommand({})),
    ]);

    for (const { config } of [table, queues]) {
      expect(Object(config.requestHandler).httpHandlerConfigs()).toMatchObject(clientSettings().requestHandler);
      expect(await config.maxAttempts()).toBe(requestTries);
    }
  });
});

describe('the time of a function', () => {
  const givenUpAfter = requestTries * idleTimeout;
  const timeoutOf = (folder: FunctionFolder): number => functions[folder].timeout * 1_000;

  it('a function of the API can still answer after a service has not', () => {
    for (const operation of operationNames) {
      expect(timeoutOf(operationFolder(operation))).toBeGreaterThan(givenUpAfter);
    }
  });

  it('a function of the API ends while its request is leased, so that no other try works beside it', () => {
    for (const operation of operationNames) {
      expect(timeoutOf(operationFolder(operation))).toBeLessThan(requestLease);
    }
  });

  it('the last invocation of the intake that remembers a customer ends in the quiet time of its deletion', () => {
    expect(customerMemory + timeoutOf('queue/intake')).toBeLessThanOrEqual(quietTime);
  });

  it.each(['queue/deliver', 'queue/deliver-slow'] as const)(
    '%s can record an attempt when the table is slow before and after it',
    (folder) => {
      expect(timeoutOf(folder)).toBeGreaterThan(givenUpAfter + attemptTimeout + givenUpAfter);
    },
  );
});
