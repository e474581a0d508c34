import { GetCommand, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { beforeEach, describe, expect, it } from 'vitest';
import { customerKey } from '#shared/aws/table/keys.ts';
import { useFunctionClients } from '../../support/aws/aws-functions.ts';
import { commandsOf } from '../../support/aws/aws-mocks.ts';
import { lambdaContext } from '../../support/aws/lambda-events.ts';
import { customerId, startOfTest } from '../../support/values/builders.ts';

const { table } = useFunctionClients();

beforeEach(() => {
  const customer = { id: customerId, name: 'Acme', created_at: startOfTest };
  table.on(GetCommand, { Key: customerKey(customerId) }).resolves({ Item: customer });
  table.on(GetCommand, { Key: customerKey('cus_none') }).resolves({});
  table.on(TransactWriteCommand).resolves({});
});

async function invoke(event: unknown) {
  const { handler } = await import('../../../functions/operator/create-portal-link/handler.ts');
  return handler(event, lambdaContext);
}

describe('operator/create-portal-link', () => {
  it.each([
    [{ minutes: 5 }, '2026-11-20T12:05:00.500Z', false],
    [{}, '2026-11-20T13:00:00.500Z', false],
    [{ read_only: true }, '2026-11-20T13:00:00.500Z', true],
  ])('answers an address that signs the customer in, as asked: %o', async (asked, expires_at, read_only) => {
    expect(await invoke({ customer_id: customerId, ...asked })).toEqual({
      id: expect.stringMatching(/^plk_/),
      customer_id: customerId,
      created_at: '2026-11-20T12:00:00.500Z',
      expires_at,
      read_only,
      revoked_at: null,
      url: expect.stringMatching(/^https:\/\/api\.example\.com\/console#token=ptl_[\w-]{49}$/),
    });
    expect(JSON.stringify(commandsOf(table))).not.toContain('ptl_');
  });

  it.each([
    [{ customer_id: 'cus_none' }, 'CustomerNotFound', '`customer_id` names no customer of this stage'],
    [undefined, 'InvalidRequest', 'The request is missing and must be a JSON object'],
    [{ customer_id: '' }, 'InvalidRequest', '`customer_id` must not be empty'],
    [{ customer_id: customerId, minutes: 1441 }, 'InvalidRequest', '`minutes` must be at most 1440'],
    [{ customer_id: customerId, minutes: 1.5 }, 'InvalidRequest', '`minutes` must be a whole number'],
    [{ customer_id: customerId, read_only: 'yes' }, 'InvalidRequest', '`read_only` must be true or false'],
    [{ customer_id: customerId, minute: 60 }, 'InvalidRequest', 'The request has a member that is not known'],
    [
      { minutes: 0 },
      'InvalidRequest',
      '`customer_id` is missing and must be a string; `minutes` must be at least 1',
    ],
  ])('refuses %j with a kind and a reason, and stores nothing', async (event, name, message) => {
    await expect(invoke(event)).rejects.toMatchObject({ name, message });
    expect(table.commandCalls(TransactWriteCommand)).toEqual([]);
  });
});
