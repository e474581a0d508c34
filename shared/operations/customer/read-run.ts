import { problem } from '#shared/contract/problem.ts';
import type { StoredRun } from '#shared/contract/records/stored-results.ts';

/** Strongly consistent; `null` when the customer has no such Run. */
export type ReadRun = (customerId: string, runId: string) => Promise<StoredRun | null>;

/** Reads a Run of the customer. */
export function readRun(deps: { readonly readRun: ReadRun }) {
  return async (customerId: string, runId: string): Promise<StoredRun> => {
    const run = await deps.readRun(customerId, runId);
    if (run === null) throw problem('not_found');
    return run;
  };
}
