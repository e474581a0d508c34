import { markApiKeyRevoked } from '#shared/aws/table/credentials/customers.ts';
import { readKnownRows } from '#shared/aws/table/known-rows.ts';
import { intakeMessage } from '#shared/contract/messages/intake-message.ts';
import { sumOf } from '#shared/domain/row-counts.ts';
import { createCustomer } from '#shared/operations/operator/create-customer.ts';
import { deleteCustomer, type Erasure } from '#shared/operations/operator/delete-customer.ts';
import { now, randomBytes } from '#shared/runtime/system.ts';
import { connectApi, done, resultOf } from '../../packages/api-client/client.ts';
import { nextCommand, type Target } from '../operator/cli/target.ts';
import { issueKey } from '../operator/customers/credential-commands.ts';
import { erasingOf, erasurePorts } from '../operator/customers/delete-customer-command.ts';
import { registrationKey } from './real-delivery.ts';
import type { Done, ThrowAwayCustomer, World } from './steps.ts';

/** Something that the run made and could not remove, with the command that removes it. */
type LeftBehind = { readonly what: string; readonly command: string };

/** Removes what a run made. @returns what is left */
export async function removeCustomers(world: World): Promise<readonly LeftBehind[]> {
  const { steps, made } = world;
  if (made.length === 0) return [];
  const left: LeftBehind[] = [];
  await steps.cleanUp('delete the endpoints', () => deleteAllEndpoints(world));
  await steps.cleanUp('delete the customers', () => deleteCustomers(world, left));
  return left;
}

type Stage = { readonly apiUrl: string; readonly target: Pick<Target, 'table'> };

export async function deleteAllEndpoints(world: Stage & Pick<World, 'made'>): Promise<Done<void>> {
  const outcomes = (await Promise.all(world.made.map(({ id }) => deleteEndpoints(world, id)))).flat();
  const failures = outcomes.filter((failure) => failure !== null);
  if (failures.length > 0) throw new Error(`Could not delete ${failures.join(', ')}`);
  return { value: undefined, detail: `${outcomes.length} deleted` };
}

/** Deletes every endpoint of a customer through the API. @returns for each why it is left, or `null` */
async function deleteEndpoints({ apiUrl, target }: Stage, customerId: string): Promise<readonly (string | null)[]> {
  // A key of its own: the checks may have used up the request limits of the others.
  const issued = await issueKey(target.table)(customerId);
  if (issued === null) return [];
  const api = connectApi({ url: apiUrl, credential: issued.key });
  const { items } = await resultOf(api.GET('/v1/webhooks', { params: { query: { limit: 100 } } }));
  const deletions = items.map(({ id }) =>
    done(api.DELETE('/v1/webhooks/{id}', { params: { path: { id } } })).then(
      () => null,
      (error: Error) => `${id} of ${customerId}: ${error.message}`,
    ),
  );
  return await Promise.all(deletions);
}

/**
 * Deletes the customers as `customers delete` does, but finds their rows by the messages that the run sent: a pass over
 * the whole table of a large stage would cost more than the rest of the run.
 *
 * @param left gets each customer that is not deleted
 */
async function deleteCustomers(world: World, left: LeftBehind[]): Promise<Done<void>> {
  const { made, options, note } = world;
  note('Deleting the customers, until no function can write for them any more: about two minutes\n');
  const outcomes = await Promise.allSettled(made.map(({ id }) => deleteOne(world, id)));
  const failures = outcomes.flatMap((outcome, index) => {
    const id = made[index]?.id ?? '';
    if (outcome.status === 'fulfilled') return [];
    left.push({ what: `customer ${id}`, command: nextCommand(options, `customers delete ${id}`) });
    return [`${id}: ${String(outcome.reason)}`];
  });
  if (failures.length > 0) throw new Error(`Could not delete ${failures.join(', ')}`);
  const erasures = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
  const removed = erasures.map((erasure) => erasure.removed).reduce(sumOf, {});
  const rows = Object.values(removed).reduce((sum, count) => sum + count, 0);
  return { value: undefined, detail: `${made.length} deleted, with ${rows} rows` };
}

async function deleteOne({ target, sent, wait }: World, id: string): Promise<Erasure> {
  const erasing = erasingOf(target);
  // Nothing of a malformed message is stored.
  const stored = sent.flatMap((message) => intakeMessage.safeParse(message).data ?? []);
  const own = stored.filter((message) => message.customer_id === id);
  const rows = await readKnownRows(erasing.table, id, [registrationKey], () => own);
  return await deleteCustomer({ ...erasurePorts(erasing, rows), wait, onStep: () => undefined })({ id });
}

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
  const customer = await createCustomer({ now, randomBytes, table })(name);
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

/** @throws Error when the key may still work */
export async function revokeKey({ table }: Target, customerId: string, keyId: string): Promise<void> {
  const revoked = await markApiKeyRevoked(table, customerId, keyId, now());
  if (revoked === null) throw new Error(`Key ${keyId} could not be revoked`);
}
