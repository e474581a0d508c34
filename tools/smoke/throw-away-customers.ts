import { markApiKeyRevoked } from '#shared/aws/table/credentials/customers.ts';
import { readKnownRows } from '#shared/aws/table/known-rows.ts';
import { intakeMessage } from '#shared/contract/messages/intake-message.ts';
import { createCustomer } from '#shared/operations/operator/create-customer.ts';
import { deleteCustomer } from '#shared/operations/operator/delete-customer.ts';
import type { Wait } from '#shared/operations/ports.ts';
import { now, randomBytes } from '#shared/runtime/system.ts';
import { explainFailure } from '../operator/cli/explain-failure.ts';
import { nextCommand, type Target, type TargetOptions } from '../operator/cli/target.ts';
import { issueKey } from '../operator/customers/credential-commands.ts';
import { erasingOf, erasurePorts } from '../operator/customers/delete-customer-command.ts';

/** Where customers are removed, and what says how far that is. */
type Stage = {
  readonly options: TargetOptions;
  readonly target: Target;
  readonly note: (text: string) => void;
  readonly wait: Wait;
};

/** Something that the run made and could not remove, with the command that removes it. */
type LeftBehind = { readonly what: string; readonly command: string };

/**
 * Deletes customers with all that they have, as `customers delete` does.
 *
 * @param sent every message about them; `null` when it is not known
 * @returns what is left
 */
export async function removeCustomers(
  stage: Stage,
  made: readonly string[],
  sent: readonly object[] | null,
): Promise<readonly LeftBehind[]> {
  if (made.length === 0) return [];
  stage.note('Deleting the customers, until no function can write for them any more: about two minutes\n');
  const left = made.map(async (id): Promise<readonly LeftBehind[]> => {
    try {
      await removeCustomer(stage, id, sent);
      return [];
    } catch (error) {
      const what = `customer ${id} (${explainFailure(error)})`;
      return [{ what, command: nextCommand(stage.options, `customers delete ${id}`) }];
    }
  });
  return (await Promise.all(left)).flat();
}

/** Finds the rows by the messages: a pass over the whole table of a large stage would cost more than the rest of the run. */
async function removeCustomer({ target, wait }: Stage, id: string, sent: readonly object[] | null): Promise<void> {
  const erasing = erasingOf(target);
  // Nothing of a malformed message is stored.
  const stored = sent?.flatMap((message) => intakeMessage.safeParse(message).data ?? []);
  const own = stored?.filter((message) => message.customer_id === id);
  const rows = own && (await readKnownRows(erasing.table, id, () => own));
  await deleteCustomer({ ...erasurePorts(erasing, rows), wait, onStep: () => undefined })({ id });
}

/**
 * Creates a customer with some API keys.
 *
 * @param made gets its id as soon as it may exist, so that a run that stops half-way can remove it
 */
export async function makeCustomer({ table }: Target, name: string, count: number, made: string[]) {
  const { id } = await createCustomer({ now, randomBytes, table })(name);
  made.push(id);
  const keys: { readonly id: string; readonly key: string }[] = [];
  for (let number = 0; number < count; number += 1) {
    const issued = await issueKey(table)(id);
    if (issued === null) throw new Error(`Customer ${id} was stored and not found again`);
    keys.push({ id: issued.stored.id, key: issued.key });
  }
  return { id, keys };
}

/** @throws Error when the key may still work */
export async function revokeKey({ table }: Target, customerId: string, keyId: string): Promise<void> {
  const revoked = await markApiKeyRevoked(table, customerId, keyId, now());
  if (revoked === null) throw new Error(`Key ${keyId} could not be revoked`);
}
