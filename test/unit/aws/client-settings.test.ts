import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DecryptCommand } from '@aws-sdk/client-kms';
import { GetScheduleCommand } from '@aws-sdk/client-scheduler';
import { ListQueuesCommand } from '@aws-sdk/client-sqs';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { settingsOf } from '../../../lib/function-settings.ts';
import { connectScheduler } from '../../../shared/aws/attempt-scheduler.ts';
import { requestTimeout, requestTries } from '../../../shared/aws/client-settings.ts';
import { connectTable } from '../../../shared/aws/clients.ts';
import { connectQueues } from '../../../shared/aws/delivery-queue.ts';
import { connectKms } from '../../../shared/aws/secret-box.ts';
import { operationFolder } from '../../../shared/contract/functions.ts';
import { operationNames } from '../../../shared/contract/routes.ts';
import { attemptTimeout } from '../../../shared/domain/retry-plan.ts';

const requests: [service: string, request: () => Promise<unknown>][] = [
  [
    'DynamoDB',
    () => connectTable('table').client.send(new GetCommand({ TableName: 'table', Key: { pk: 'A' } })),
  ],
  ['SQS', () => connectQueues().send(new ListQueuesCommand({}))],
  ['KMS', () => connectKms().send(new DecryptCommand({ CiphertextBlob: Buffer.from('sealed') }))],
  ['Scheduler', () => connectScheduler().send(new GetScheduleCommand({ Name: 'retry' }))],
];

describe('a service that takes requests and never answers', () => {
  const server = createServer();
  const taken: IncomingMessage[] = [];
  server.on('request', (request) => void taken.push(request));

  beforeEach(async () => {
    await once(server.listen(0, '127.0.0.1'), 'listening');
    vi.stubEnv('AWS_REGION', 'us-east-1');
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'test');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test');
    vi.stubEnv('AWS_ENDPOINT_URL', `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  });
  afterEach(() => {
    vi.useRealTimers();
    taken.length = 0;
    server.close();
    server.closeAllConnections();
  });

  it.each(requests)('is given up after three requests of three seconds: %s', async (_service, request) => {
    let arrival = once(server, 'request');
    const outcome = request().catch((error: unknown) => error);

    for (let tries = 1; tries <= requestTries; tries += 1) {
      await arrival;
      arrival = once(server, 'request');
      await vi.advanceTimersByTimeAsync(requestTimeout - 1);
      expect(taken).toHaveLength(tries);
      // Some more for the pause before the next request, which is random.
      await vi.advanceTimersByTimeAsync(1_000);
    }

    expect(await outcome).toMatchObject({ name: 'TimeoutError' });
    expect(taken).toHaveLength(requestTries);
  });
});

describe('the time of a function', () => {
  const givenUpAfter = requestTries * requestTimeout;
  const timeoutOf = (folder: string): number => settingsOf(folder).timeout * 1_000;

  it('is enough to answer a customer that a service does not', () => {
    for (const operation of operationNames) {
      expect(timeoutOf(operationFolder(operation))).toBeGreaterThan(givenUpAfter);
    }
  });

  it('is enough to record an attempt, when the store is slow before it and after it', () => {
    expect(timeoutOf('queue/deliver')).toBeGreaterThan(givenUpAfter + attemptTimeout + givenUpAfter);
  });
});
