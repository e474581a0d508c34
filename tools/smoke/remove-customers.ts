import { readKnownRows } from '#shared/aws/table/known-rows.ts';
import { type IntakeMessage, intakeMessage } from '#shared/contract/messages/intake-message.ts';
import { sumOf } from '#shared/domain/row-counts.ts';
import { deleteCustomer, type Erasure } from '#shared/operations/operator/delete-customer.ts';
import type { Wait } from '#shared/operations/ports.ts';
import { nextCommand, type Target, type TargetOptions } from '../operator/cli/target.ts';
import { erasingOf, erasurePorts } from '../operator/customers/delete-customer-command.ts';
import type { Done, Steps } from './steps.ts';
import { deleteEndpoints, type ThrowAwayCustomer } from './throw-away-customers.ts';

/** Something that the run made and could not remove, with the command that removes it. */
export type LeftBehind = { readonly what: string; readonly command: string };

/** What a run made, and how to remove it. */
export type Removal = {
  readonly steps: Steps;
  readonly apiUrl: string;
  readonly target: Target;
  readonly options: TargetOptions;
  readonly made: readonly ThrowAwayCustomer[];
  /** Every message that the run put on the intake queue. */
  readonly sent: readonly object[];
  readonly wait: Wait;
  readonly note: (text: string) => void;
};

/** Removes what a run made. @returns what is left */
export async function removeCustomers(removal: Removal): Promise<readonly LeftBehind[]> {
  const { steps, made } = removal;
  if (made.length === 0) return [];
  const left: LeftBehind[] = [];
  await steps.cleanUp('delete the endpoints', () => deleteAllEndpoints(removal));
  await steps.cleanUp('delete the customers', () => deleteCustomers(removal, left));
  return left;
}

async function deleteAllEndpoints({ apiUrl, made }: Removal): Promise<Done<void>> {
  const outcomes = await Promise.all(made.map((customer) => deleteEndpoints(apiUrl, customer)));
  const failures = outcomes.flatMap((outcome) => outcome.failures);
  if (failures.length > 0) throw new Error(`Could not delete ${failures.join(', ')}`);
  const deleted = outcomes.reduce((sum, outcome) => sum + outcome.deleted, 0);
  return { value: undefined, detail: `${deleted} deleted` };
}

/**
 * Deletes the customers as `customers delete` does, but finds their rows by the messages that the run sent: a pass over
 * the whole table of a large stage would cost more than the rest of the run.
 *
 * @param left gets each customer that is not deleted
 */
async function deleteCustomers(removal: Removal, left: LeftBehind[]): Promise<Done<void>> {
  const { made, options, note } = removal;
  note('Deleting the customers, until no function can write for them any more: about two minutes\n');
  const outcomes = await Promise.allSettled(made.map(({ id }) => deleteOne(removal, id)));
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

async function deleteOne({ target, sent, wait }: Removal, id: string): Promise<Erasure> {
  const erasing = erasingOf(target);
  const rows = await readKnownRows(erasing.table, id, () =>
    sent.flatMap((message) => messagesOf(id, message)),
  );
  return await deleteCustomer({ ...erasurePorts(erasing, rows), wait, onStep: () => undefined })({ id });
}

/** Nothing of a malformed message is stored. */
function messagesOf(id: string, message: object): readonly IntakeMessage[] {
  const { success, data } = intakeMessage.safeParse(message);
  return success && data.customer_id === id ? [data] : [];
}
