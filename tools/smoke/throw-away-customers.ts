import { markApiKeyRevoked, storeCustomer } from '#shared/aws/table/credentials/customers.ts';
import { createCustomer } from '#shared/operations/operator/create-customer.ts';
import { now, randomBytes } from '#shared/runtime/system.ts';
import { connectApi, done, resultOf } from '../../packages/api-client/client.ts';
import type { Target } from '../operator/cli/target.ts';
import { issueKey } from '../operator/customers/credential-commands.ts';

type Key = { readonly id: string; readonly key: string };

/** A customer that exists for one run. `keys` grows while they are issued. */
export type ThrowAwayCustomer = { readonly id: string; readonly keys: Key[] };

/**
 * Creates a customer.
 *
 * @param made gets the customer as soon as it may exist, so that a run that stops half-way can remove it
 */
export async function makeCustomer(
  { table }: Target,
  name: string,
  keys: number,
  made: (customer: ThrowAwayCustomer) => void,
): Promise<ThrowAwayCustomer> {
  const customer = await createCustomer({ now, randomBytes, storeCustomer: storeCustomer(table) })(name);
  const result: ThrowAwayCustomer = { id: customer.id, keys: [] };
  made(result);
  const issue = issueKey(table);
  for (let count = 0; count < keys; count += 1) {
    const issued = await issue(customer.id);
    if (issued === null) throw new Error(`Customer ${customer.id} was stored and not found again`);
    result.keys.push({ id: issued.stored.id, key: issued.key });
  }
  return result;
}

/** Deletes every endpoint of a customer through the API. @returns how many there were, and those that are left */
export async function deleteEndpoints(
  apiUrl: string,
  { id: customerId, keys }: ThrowAwayCustomer,
): Promise<{ readonly deleted: number; readonly failures: readonly string[] }> {
  const [first] = keys;
  if (first === undefined) return { deleted: 0, failures: [] };
  const api = connectApi({ url: apiUrl, credential: first.key });
  const { items } = await resultOf(api.GET('/v1/webhooks', { params: { query: { limit: 100 } } }));
  const outcomes = await Promise.all(
    items.map(async ({ id }) =>
      done(api.DELETE('/v1/webhooks/{id}', { params: { path: { id } } })).then(
        () => [],
        (error: Error) => [`${id} of ${customerId}: ${error.message}`],
      ),
    ),
  );
  const failures = outcomes.flat();
  return { deleted: items.length - failures.length, failures };
}

/** @throws Error when the key may still work */
export async function revokeKey({ table }: Target, customerId: string, keyId: string): Promise<void> {
  const revoked = await markApiKeyRevoked(table)(customerId, keyId, now());
  if (revoked === null) throw new Error(`Key ${keyId} could not be revoked`);
}
