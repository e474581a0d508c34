import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ListQueuesCommand } from '@aws-sdk/client-sqs';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import * as z from 'zod';
import { connectQueues, connectTable } from '#shared/aws/clients.ts';
import { localAccess } from '../../support/aws/emulators.ts';
import { startScriptedApi } from '../../support/http/scripted-api.ts';
import { unexpected } from '../../support/operations/deps.ts';
import { temporaryFolder } from '../../support/vitest/temporary-folder.ts';

/** Answers each request with the next of these errors, then with an item. Transactions are cancelled with these reasons. */
async function startDynamodb(errors: readonly string[] = [], reasons: readonly string[] = []) {
  const refusals = errors.map((error) => ({
    status: 400,
    body: {
      __type: `com.amazonaws.dynamodb.v20120810#${error}`,
      CancellationReasons: reasons.map((Code) => ({ Code })),
    },
  }));
  const api = await startScriptedApi([...refusals, { body: { Item: { pk: { S: 'A' } } } }]);
  onTestFinished(() => api[Symbol.asyncDispose]());
  const { client } = connectTable('table', unexpected('report'), { ...localAccess, endpoint: api.url });
  const Put = { TableName: 'table', Item: { pk: 'A' } };
  return {
    get: () => client.get({ TableName: 'table', Key: { pk: 'A' } }),
    transact: () => client.transactWrite({ TransactItems: [{ Put }, { Put }] }),
    requests: api.requests,
  };
}

describe('connectTable()', () => {
  it('repeats a request that conflicts with a transaction on its item', async () => {
    const { get, requests } = await startDynamodb(['TransactionConflictException']);

    expect(await get()).toMatchObject({ Item: { pk: 'A' } });
    expect(requests).toHaveLength(2);
  });

  it('repeats a transaction that conflicts with another one, and none that does not meet its conditions', async () => {
    const cancelled = ['TransactionCanceledException'];
    const conflict = await startDynamodb(cancelled, ['None', 'TransactionConflict']);
    await conflict.transact();
    expect(conflict.requests).toHaveLength(2);

    const refused = await startDynamodb(cancelled, ['None', 'ConditionalCheckFailed']);
    await expect(refused.transact()).rejects.toThrow();
    expect(refused.requests).toHaveLength(1);
  });

  it.each([
    ['AWS_ENDPOINT_URL_DYNAMODB', 'http://127.0.0.1:1'],
    ['AWS_REGION', undefined],
    ['AWS_PROFILE', 'missing'],
    ['AWS_USE_FIPS_ENDPOINT', 'true'],
    ['AWS_USE_DUALSTACK_ENDPOINT', 'true'],
  ])('sends requests to the given address, although %s is %s', async (name, value) => {
    vi.stubEnv(name, value);
    const { get, requests } = await startDynamodb();

    await get();

    expect(requests).toHaveLength(1);
  });

  it('does not repeat an invalid request', async () => {
    const { get, requests } = await startDynamodb(['ValidationException']);

    await expect(get()).rejects.toThrow();

    expect(requests).toHaveLength(1);
  });
});

it.each([
  ['sqs.eu-west-1.amazonaws.com', 'eu-west-1', {}],
  ['sqs.cn-north-1.amazonaws.com.cn', 'cn-north-1', {}],
  ['sqs.eusc-de-east-1.amazonaws.eu', 'eusc-de-east-1', {}],
  ['sqs-fips.us-east-1.amazonaws.com', 'us-east-1', { AWS_USE_FIPS_ENDPOINT: 'true' }],
  ['sqs.us-east-1.api.aws', 'us-east-1', { AWS_USE_DUALSTACK_ENDPOINT: 'true' }],
])('the address of a service is %s in %s with %o', async (host, region, env) => {
  const { send } = connectWithoutNetwork({ AWS_REGION: region, ...env });

  expect((await send()).hostname).toBe(host);
});

it.each([
  ['AWS_REGION', 'eu-west-1', { AWS_REGION: 'eu-west-1', AWS_DEFAULT_REGION: 'us-west-2' }],
  ['AWS_DEFAULT_REGION, as for the AWS CLI and the CDK', 'us-west-2', { AWS_DEFAULT_REGION: 'us-west-2' }],
  ['the profile', 'ap-south-1', {}],
])('the Region is that of %s', async (_, region, env) => {
  const file = join(await temporaryFolder(), 'config');
  await writeFile(file, '[default]\nregion = ap-south-1\n');
  const unset = { AWS_REGION: undefined, AWS_DEFAULT_REGION: undefined };
  const { send } = connectWithoutNetwork({ ...unset, AWS_CONFIG_FILE: file, ...env });

  expect((await send()).hostname).toBe(`sqs.${region}.amazonaws.com`);
});

it('a request from Lambda carries the trace of the invocation, so that Lambda recognises a loop between functions and queues', async () => {
  const trace = 'Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=0';
  const { send } = connectWithoutNetwork({
    AWS_REGION: 'us-east-1',
    AWS_LAMBDA_FUNCTION_NAME: 'deliver',
    _X_AMZN_TRACE_ID: trace,
  });

  expect((await send()).headers).toMatchObject({ 'X-Amzn-Trace-Id': trace });
});

const sent = z.object({ hostname: z.string(), headers: z.record(z.string(), z.string()) });

/** A client whose requests are caught when they are signed. */
function connectWithoutNetwork(environment: Readonly<Record<string, string | undefined>>) {
  const credentials = { AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test' };
  for (const [name, value] of Object.entries({ ...credentials, ...environment })) vi.stubEnv(name, value);
  const client = connectQueues();
  const requests: unknown[] = [];
  client.middlewareStack.add(
    () => async (args) => {
      requests.push(args.request);
      return { response: {}, output: { $metadata: {} } };
    },
    { step: 'finalizeRequest', priority: 'low' },
  );
  const send = async () => {
    await client.send(new ListQueuesCommand({}));
    return sent.parse(requests.at(-1));
  };
  return { send };
}
