import { describe, expect, expectTypeOf, it } from 'vitest';
import type * as z from 'zod';
import { operatorOperations } from '#shared/contract/functions.ts';
import type {
  createApiKeyRequest,
  createCustomerRequest,
  listApiKeysRequest,
  listCustomersRequest,
  presentApiKey,
  presentCustomer,
  revokeApiKeyRequest,
} from '#shared/contract/records/customer.ts';
import type { createPortalLinkRequest, presentPortalLink } from '#shared/contract/records/portal-link.ts';
import { connectOperator, type LambdaPort, type Operator } from '../../../packages/producer/operator.ts';

/** A Lambda that answers every call in one way. */
function lambdaThat(answer: Awaited<ReturnType<LambdaPort['invoke']>>) {
  const calls: unknown[] = [];
  const invoke: LambdaPort['invoke'] = async (input) => {
    calls.push(input);
    return answer;
  };
  return { calls, operator: connectOperator({ invoke }, JSON.stringify({ listCustomers: 'stage-list' })) };
}

const bytesOf = (value: object) => new TextEncoder().encode(JSON.stringify(value));
type Given<Name extends keyof Operator> = Parameters<Operator[Name]>[0];
type Got<Name extends keyof Operator> = Awaited<ReturnType<Operator[Name]>>;

describe('connectOperator()', () => {
  it('has an operation for each function of the operator, with the types of its request and answer', () => {
    const { operator } = lambdaThat({});

    expect(Object.keys(operator).toSorted()).toEqual([...operatorOperations].toSorted());
    expectTypeOf<Given<'createCustomer'>>().toExtend<z.input<typeof createCustomerRequest>>();
    expectTypeOf<Given<'listCustomers'>>().toExtend<z.input<typeof listCustomersRequest>>();
    expectTypeOf<Given<'createApiKey'>>().toExtend<z.input<typeof createApiKeyRequest>>();
    expectTypeOf<Given<'listApiKeys'>>().toExtend<z.input<typeof listApiKeysRequest>>();
    expectTypeOf<Given<'revokeApiKey'>>().toExtend<z.input<typeof revokeApiKeyRequest>>();
    expectTypeOf<Given<'createPortalLink'>>().toExtend<z.input<typeof createPortalLinkRequest>>();
    expectTypeOf<ReturnType<typeof presentCustomer> & { created: boolean }>().toExtend<Got<'createCustomer'>>();
    expectTypeOf<ReturnType<typeof presentApiKey>>().toExtend<Got<'revokeApiKey'>>();
    expectTypeOf<ReturnType<typeof presentPortalLink> & { url: string }>().toExtend<Got<'createPortalLink'>>();
  });

  it('invokes the function of the operation, and returns its answer', async () => {
    const { calls, operator } = lambdaThat({ Payload: bytesOf({ items: [], next_cursor: null }) });

    expect(await operator.listCustomers({ limit: 1 })).toEqual({ items: [], next_cursor: null });
    expect(calls).toEqual([{ FunctionName: 'stage-list', Payload: '{"limit":1}' }]);
  });

  it.each([undefined, '', '{}', 'webhooks-prod-list', '["a"', 'null'])(
    'says where the names are, given %j',
    (functions) => {
      const invoke = () => Promise.reject(new Error('It calls nothing'));

      expect(() => connectOperator({ invoke }, functions)).toThrow(/give the output OperatorFunctions of the stack/);
    },
  );

  it('refuses a call whose function the names do not have', async () => {
    const { calls, operator } = lambdaThat({});

    await expect(operator.createCustomer({ name: 'Acme' })).rejects.toThrow(/have no createCustomer: read the output/);
    expect(calls).toEqual([]);
  });

  it.each([
    ['InvalidRequest', 'CallRefused', 'why'],
    ['Runtime.ExitError', 'Error', 'stage-list failed with Runtime.ExitError: why'],
    [undefined, 'Error', 'stage-list failed with Unhandled: why'],
  ])('a function that ends with %s makes the error %s', async (errorType, name, message) => {
    const Payload = bytesOf({ errorType, errorMessage: 'why' });
    const { operator } = lambdaThat({ FunctionError: 'Unhandled', Payload });

    await expect(operator.listCustomers({})).rejects.toMatchObject({ name, message });
  });
});
