import { describe, expect, it } from 'vitest';
import { requestTries } from '#shared/aws/client-settings.ts';
import type { Host } from '#shared/aws/direct/host.ts';
import { createService } from '#shared/aws/direct/service.ts';
import { createTransport } from '#shared/aws/direct/transport.ts';
import {
  cut,
  cutInTheMiddle,
  ok,
  plain,
  refusal,
  type Step,
  silent,
  startScriptedService,
} from '../../../support/aws/scripted-service.ts';
import { testHost } from '../../../support/aws/test-host.ts';

const request = { path: '/', headers: { 'content-type': 'application/x-amz-json-1.0' }, body: '{"a":1}' };

async function start(steps: readonly Step[], more: Partial<Host> = {}) {
  const server = await startScriptedService(...steps);
  const waits: number[] = [];
  const backoff = { wait: async (ms: number) => void waits.push(ms), random: () => 1 };
  const transport = createTransport({ maxSockets: 10, patience: 250 });
  const service = createService('dynamodb', transport, testHost(server.url, { backoff, ...more }));
  return { ...server, waits, send: () => service(request) };
}

describe('a request that can be tried again', () => {
  it.each([
    {
      what: 'ProvisionedThroughputExceededException',
      step: refusal(400, 'ProvisionedThroughputExceededException'),
    },
    { what: 'ThrottlingException', step: refusal(400, 'ThrottlingException') },
    { what: 'the status 429', step: plain(429, '') },
  ])(
    'is tried again after up to one and two seconds when the service answers with $what',
    async ({ step }) => {
      const { requests, waits, send } = await start([step, step, ok('{"done":true}')]);

      expect(await send()).toEqual({ done: true });
      expect(requests).toHaveLength(3);
      expect(waits).toEqual([1_000, 2_000]);
    },
  );

  it.each([
    { what: 'the service fails', step: refusal(500, 'InternalServerError') },
    { what: 'a write met a transaction', step: refusal(400, 'TransactionConflictException') },
    { what: 'a response of 500 is not JSON', step: plain(500, '<h1>Oops</h1>') },
    { what: 'the connection is cut', step: cut },
    { what: 'the connection is cut within the response', step: cutInTheMiddle },
    { what: 'the service is silent', step: silent },
  ])('is tried again after up to 50 and 100 ms when $what', async ({ step }) => {
    const { requests, waits, send } = await start([step, step, ok('{"done":true}')]);

    expect(await send()).toEqual({ done: true });
    expect(requests).toHaveLength(3);
    expect(waits).toEqual([50, 100]);
  });

  it.each([
    {
      what: 'the error of the service',
      step: refusal(503, 'ServiceUnavailable'),
      error: { name: 'ServiceUnavailable', message: 'Not now: ServiceUnavailable', httpStatus: 503 },
    },
    {
      what: 'UnknownError for a response without a name',
      step: plain(500, 'Oops'),
      error: {
        name: 'UnknownError',
        message: 'dynamodb answered with the status 500 and no message',
        httpStatus: 500,
      },
    },
    {
      what: 'TimeoutError for silence',
      step: silent,
      error: { name: 'TimeoutError', message: 'The service was silent for 250 ms' },
    },
    { what: 'the error of the network', step: cut, error: { code: 'ECONNRESET' } },
  ])('fails after three tries with $what', async ({ step, error }) => {
    const { requests, send } = await start([step]);

    await expect(send()).rejects.toMatchObject(error);
    expect(requests).toHaveLength(requestTries);
  });

  it('is signed again for each try', async () => {
    let time = Date.UTC(2026, 10, 20);
    const now = () => {
      time += 1_000;
      return time;
    };
    const { requests, send } = await start([refusal(500, 'InternalServerError'), ok()], { now });

    await send();

    const dates = requests.map(({ headers }) => headers['x-amz-date']);
    expect(new Set(dates).size).toBe(2);
  });

  it('is not tried again once the failures of a client have used up its retries', async () => {
    const { requests, send } = await start([refusal(500, 'InternalServerError')]);
    const failures = Array.from({ length: 20 }, () => send().catch(() => 'failed'));
    await Promise.all(failures);
    const before = requests.length;

    await expect(send()).rejects.toThrow();

    // 500 tokens pay for 35 retries of 14 each.
    expect(before).toBe(20 + 35);
    expect(requests.length - before).toBe(1);
  });
});

describe('a request that would fail again', () => {
  it.each([
    'ConditionalCheckFailedException',
    'TransactionCanceledException',
    'ValidationException',
    'AccessDeniedException',
    'ResourceNotFoundException',
  ])('is sent once when the service answers %s', async (name) => {
    const { requests, waits, send } = await start([refusal(400, name)]);

    await expect(send()).rejects.toMatchObject({ name, httpStatus: 400, message: `Not now: ${name}` });
    expect(requests).toHaveLength(1);
    expect(waits).toEqual([]);
  });

  it('is sent once when a good response is not JSON, because the write may have happened', async () => {
    const { requests, send } = await start([plain(200, '<html>')]);

    await expect(send()).rejects.toThrow('Cannot read the response of dynamodb: it is not JSON');
    expect(requests).toHaveLength(1);
  });
});

describe('the clock of this machine', () => {
  const service = Date.UTC(2026, 10, 20, 12);
  const date = new Date(service).toUTCString();

  it('is corrected by the date of a refusal when it is an hour off, for this request and the next', async () => {
    const refused = refusal(400, 'InvalidSignatureException', { date });
    const { requests, send } = await start([refused, ok()], { now: () => service - 3_600_000 });

    await send();
    await send();

    expect(requests.map(({ headers }) => headers['x-amz-date'])).toEqual([
      '20261120T110000Z',
      '20261120T120000Z',
      '20261120T120000Z',
    ]);
  });

  it('is not blamed for a refusal when it is right', async () => {
    const refused = refusal(400, 'InvalidSignatureException', { date });
    const { requests, send } = await start([refused], { now: () => service - 60_000 });

    await expect(send()).rejects.toMatchObject({ name: 'InvalidSignatureException' });
    expect(requests).toHaveLength(1);
  });
});

describe('the trace of an invocation', () => {
  const trace = 'Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=0';

  it.each([
    {
      where: 'is sent from Lambda',
      variables: { AWS_LAMBDA_FUNCTION_NAME: 'deliver', _X_AMZN_TRACE_ID: trace },
      sent: trace,
    },
    { where: 'is not sent from elsewhere', variables: { _X_AMZN_TRACE_ID: trace }, sent: undefined },
  ])('$where', async ({ variables, sent }) => {
    const server = await startScriptedService(ok());
    const transport = createTransport({ maxSockets: 10, patience: 1_000 });

    await createService('sqs', transport, testHost(server.url, { variables }))(request);

    expect(server.requests[0]?.headers['x-amzn-trace-id']).toBe(sent);
  });
});
