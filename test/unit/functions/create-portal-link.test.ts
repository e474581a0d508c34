import { GetCommand, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { beforeEach, describe, expect, it } from 'vitest';
import { customerKey } from '#shared/aws/table/keys.ts';
import { isConsolePath } from '#shared/contract/records/portal-link.ts';
import { errorMessage } from '#shared/domain/error-message.ts';
import { parseRoute } from '../../../console/routing/route.ts';
import { useFunctionClients } from '../../support/aws/aws-functions.ts';
import { commandsOf } from '../../support/aws/aws-mocks.ts';
import { captureOutput, lambdaContext } from '../../support/aws/lambda-events.ts';
import { customerId, startOfTest } from '../../support/values/builders.ts';

const { table } = useFunctionClients();

beforeEach(() => {
  const customer = { id: customerId, name: 'Acme', created_at: startOfTest };
  table.on(GetCommand, { Key: customerKey(customerId) }).resolves({ Item: customer });
  table.on(GetCommand, { Key: customerKey('cus_none') }).resolves({});
  table.on(TransactWriteCommand).resolves({});
});

const takes = 'this call takes `customer_id`, `minutes`, `read_only`, `to`';
/** What a name can be that was pasted into the wrong place. */
const secret = `key_${'a'.repeat(49)}`;

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
    const output = captureOutput();
    const answer = await invoke({ customer_id: customerId, ...asked });

    expect(answer).toEqual({
      id: expect.stringMatching(/^plk_/),
      customer_id: customerId,
      created_at: '2026-11-20T12:00:00.500Z',
      expires_at,
      read_only,
      revoked_at: null,
      url: expect.stringMatching(/^https:\/\/api\.example\.com\/console#token=ptl_[\w-]{49}$/),
    });
    expect(output()).toMatch(new RegExp(`"portal_link.created".*"${customerId}".*"plk_.*"${expires_at}"`));
    expect(JSON.stringify(commandsOf(table)) + output()).not.toContain('ptl_');
  });

  it('its address leads to the page of the console that is asked for', async () => {
    const to = '/deliveries?webhook=whe_1&status=failed';

    const answer = await invoke({ customer_id: customerId, to });

    expect(answer).toEqual(
      expect.objectContaining({
        url: expect.stringMatching(/#token=ptl_[\w-]{49}&to=\/deliveries%3Fwebhook%3Dwhe_1%26status%3Dfailed$/),
      }),
    );
  });

  it.each([
    '/endpoints',
    '/endpoints/new',
    '/endpoints/whe_1',
    '/endpoints/whe_1/deliveries/whd_1',
    '/endpoints/whe_1/replays',
    '/endpoints/whe_1/replays/rpl_1',
    '/deliveries',
    '/deliveries?status=failed&created_after=2026-11-20T12:00:00.000Z',
    '/resend',
    '/signature',
    '/runs',
    '/runs/run_a-1',
    '/trackers/trk_1',
    '/trackers/trk_1/reports/chg_1',
  ])('takes %s, which the console has', (to) => {
    expect(isConsolePath(to)).toBe(true);
    expect(parseRoute(to).view).not.toBe('unknown');
  });

  it.each([
    '//evil.example',
    'https://evil.example',
    '/endpoints/..',
    '/endpoints/whe_1/',
    '/nothing',
    'endpoints',
    '',
  ])('refuses to lead to %j, which is no page of the console', async (to) => {
    await expect(invoke({ customer_id: customerId, to })).rejects.toMatchObject({
      name: 'InvalidRequest',
      message: expect.stringContaining('`to` must be a page of the console'),
    });
  });

  it.each([
    [{ customer_id: 'cus_none' }, 'CustomerNotFound', '`customer_id` names no customer of this stage'],
    [undefined, 'InvalidRequest', 'The request is missing and must be a JSON object'],
    [{ customer_id: '' }, 'InvalidRequest', '`customer_id` must not be empty'],
    [{ customer_id: customerId, minutes: 1441 }, 'InvalidRequest', '`minutes` must be at most 1440'],
    [{ customer_id: customerId, minutes: 1.5 }, 'InvalidRequest', '`minutes` must be a whole number'],
    [{ customer_id: customerId, read_only: 'yes' }, 'InvalidRequest', '`read_only` must be true or false'],
    [
      { customer_id: customerId, minute: 60 },
      'InvalidRequest',
      `Unknown member \`minute\` (did you mean \`minutes\`?): ${takes}`,
    ],
    [{ customer_id: customerId, [secret]: 1 }, 'InvalidRequest', `Unknown member: ${takes}`],
    [{ minutes: 0 }, 'InvalidRequest', '`customer_id` is missing and must be a string; `minutes` must be at least 1'],
  ])('refuses %j with a kind and a reason, and stores nothing', async (event, name, message) => {
    await expect(invoke(event)).rejects.toMatchObject({ name, message });
    expect(table.commandCalls(TransactWriteCommand)).toEqual([]);
  });
});

it('operator/create-customer repeats no name that may be a secret, and names ten faults at most', async () => {
  const { handler } = await import('../../../functions/operator/create-customer/handler.ts');
  const refusalOf = (metadata: object) => handler({ name: 'Acme', metadata }, lambdaContext).catch(errorMessage);
  const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`name ${index}`, '']));

  expect(await refusalOf({ [secret]: 'x' })).toBe('`metadata.…` must have names of at most 40 characters');
  expect(await refusalOf({ plan: 5 })).toBe('`metadata.plan` must be a string');
  expect(String(await refusalOf(many)).split('; ')).toHaveLength(10);
});
