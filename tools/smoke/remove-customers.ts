import { type Deletion, deleteCustomers } from './delete-customers.ts';
import type { Done, Steps } from './steps.ts';
import { deleteEndpoints, type LeftBehind } from './throw-away-customers.ts';

export type Removal = Deletion & { readonly steps: Steps; readonly apiUrl: string };

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
