import { GetCommand, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { hashCredential } from '#shared/auth/checked-token.ts';
import { useFunctionClients } from '../../support/aws/aws-functions.ts';
import { commandsOf } from '../../support/aws/aws-mocks.ts';
import { captureOutput, lambdaContext } from '../../support/aws/lambda-events.ts';
import { customerId, startOfTest } from '../../support/values/builders.ts';

const { table } = useFunctionClients();
const withLink = z.object({ id: z.string(), url: z.string() });

const Key = { pk: `CUS#${customerId}`, sk: 'CUSTOMER' };
const customer = { ...Key, id: customerId, name: 'Acme', created_at: startOfTest };

afterEach(() => {
  vi.restoreAllMocks();
});

async function invoke(event: unknown) {
  const { handler } = await import('../../../functions/operator/create-portal-link/handler.ts');
  return handler(event, lambdaContext);
}

/** What Lambda answers when the function throws. */
async function refusal(event: unknown) {
  const error: unknown = await invoke(event).catch((thrown: unknown) => thrown);
  if (!(error instanceof Error)) throw new Error('The call was not refused');
  return { errorType: error.name, errorMessage: error.message };
}

describe('operator/create-portal-link', () => {
  it('answers an address that signs the customer in, for the asked minutes', async () => {
    table.on(GetCommand, { Key }).resolves({ Item: customer });
    table.on(TransactWriteCommand).resolves({});

    const answer = await invoke({ customer_id: customerId, minutes: 5 });

    expect(answer).toEqual({
      id: expect.stringMatching(/^plk_/),
      customer_id: customerId,
      created_at: '2026-11-20T12:00:00.500Z',
      expires_at: '2026-11-20T12:05:00.500Z',
      revoked_at: null,
      url: expect.stringMatching(/^https:\/\/api\.example\.com\/console#token=ptl_[\w-]{49}$/),
    });
    const { url } = withLink.parse(answer);
    const [read, write, readAgain] = commandsOf(table);
    expect([read, readAgain]).toEqual(
      [1, 2].map(() => ({ GetCommand: { TableName: expect.any(String), Key, ConsistentRead: true } })),
    );
    expect(JSON.stringify(write)).toContain(hashCredential(url.replace(/^.*#token=/, '')));
    expect(JSON.stringify(write)).not.toContain('ptl_');
  });

  it('lasts an hour when the request names no minutes', async () => {
    table.on(GetCommand, { Key }).resolves({ Item: customer });
    table.on(TransactWriteCommand).resolves({});

    expect(await invoke({ customer_id: customerId })).toMatchObject({
      expires_at: '2026-11-20T13:00:00.500Z',
    });
  });

  it('logs who got which link until when, and never the credential', async () => {
    table.on(GetCommand, { Key }).resolves({ Item: customer });
    table.on(TransactWriteCommand).resolves({});
    const { logger } = await import('#shared/runtime/telemetry.ts');
    logger.setLogLevel('INFO');
    const output = captureOutput();

    const { id } = withLink.parse(await invoke({ customer_id: customerId }));

    expect(JSON.parse(output())).toMatchObject({
      level: 'INFO',
      message: 'portal_link.created',
      customer_id: customerId,
      credential_id: id,
      expires_at: '2026-11-20T13:00:00.500Z',
    });
    expect(output()).not.toContain('ptl_');
  });

  it('refuses an unknown customer with a kind of its own, and stores nothing', async () => {
    table.on(GetCommand).resolves({});

    expect(await refusal({ customer_id: 'cus_none' })).toEqual({
      errorType: 'CustomerNotFound',
      errorMessage: '`customer_id` names no customer of this stage',
    });
    expect(commandsOf(table)).toHaveLength(1);
  });

  it.each([
    [undefined, 'The request is missing and must be a JSON object'],
    [null, 'The request must be a JSON object'],
    ['cus_1', 'The request must be a JSON object'],
    [{}, '`customer_id` is missing and must be a string'],
    [{ customer_id: '' }, '`customer_id` must not be empty'],
    [{ customer_id: 5 }, '`customer_id` must be a string'],
    [{ customer_id: customerId, minutes: 0 }, '`minutes` must be at least 1'],
    [{ customer_id: customerId, minutes: 1441 }, '`minutes` must be at most 1440'],
    [{ customer_id: customerId, minutes: 1.5 }, '`minutes` must be a whole number'],
    [{ customer_id: customerId, minutes: '60' }, '`minutes` must be a number'],
    [{ customer_id: customerId, minute: 60 }, 'The request has a member that is not known'],
    [{ minutes: -1 }, '`customer_id` is missing and must be a string; `minutes` must be at least 1'],
  ])('refuses %j before it reads anything, and says why', async (event, errorMessage) => {
    expect(await refusal(event)).toEqual({ errorType: 'InvalidRequest', errorMessage });
    expect(commandsOf(table)).toEqual([]);
  });
});
