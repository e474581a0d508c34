import type { Target, TargetOptions } from '../operator/target.ts';
import type { StageApi } from './stage-api.ts';
import type { Done, Steps } from './steps.ts';
import {
  deleteEndpoints,
  type LeftBehind,
  revokeKeys,
  type ThrowAwayCustomer,
} from './throw-away-customers.ts';

export type Removal = {
  readonly steps: Steps;
  readonly api: StageApi;
  readonly target: Target;
  readonly options: TargetOptions;
  readonly made: readonly ThrowAwayCustomer[];
};

/** Removes what a run made. @returns what is left */
export async function removeCustomers(removal: Removal): Promise<readonly LeftBehind[]> {
  const { steps, made } = removal;
  if (made.length === 0) return [];
  const left: LeftBehind[] = [];
  await steps.cleanUp('delete the endpoints', () => deleteAllEndpoints(removal));
  await steps.cleanUp('revoke the keys', () => revokeAllKeys(removal, left));
  return left;
}

async function deleteAllEndpoints({ api, made }: Removal): Promise<Done<void>> {
  const outcomes = await Promise.all(made.map((customer) => deleteEndpoints(api, customer)));
  const failures = outcomes.flatMap((outcome) => outcome.failures);
  if (failures.length > 0) throw new Error(`Could not delete ${failures.join(', ')}`);
  const deleted = outcomes.reduce((sum, outcome) => sum + outcome.deleted, 0);
  return { value: undefined, detail: `${deleted} deleted` };
}

async function revokeAllKeys({ target, made, options }: Removal, left: LeftBehind[]): Promise<Done<void>> {
  const outcomes = await Promise.all(made.map((customer) => revokeKeys(target, customer, options)));
  left.push(...outcomes.flat());
  if (left.length > 0) throw new Error(`${left.length} keys could not be revoked`);
  const count = made.reduce((sum, { keys }) => sum + keys.length, 0);
  return { value: undefined, detail: `${count} revoked` };
}
