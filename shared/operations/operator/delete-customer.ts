import type { closeCustomer, erasePass, forgetCustomer } from '#shared/aws/table/credentials/erase-customer.ts';
import { type Customer, customerMemory } from '#shared/domain/customer.ts';
import { type RowCounts, sumOf } from '#shared/domain/row-counts.ts';
import type { Needs } from '#shared/operations/needs.ts';

export type ErasureStep =
  | { readonly step: 'closing' | 'waiting' | 'closed' | 'forgetting' }
  | { readonly step: 'erasing'; readonly pass: number; readonly read: number; readonly removed: number };

type Deps = Pick<Needs, 'now' | 'wait'> & {
  readonly closeCustomer: ReturnType<typeof closeCustomer>;
  readonly erasePass: ReturnType<typeof erasePass>;
  readonly forgetCustomer: ReturnType<typeof forgetCustomer>;
  readonly onStep: (step: ErasureStep) => void;
};

export type Erasure = { readonly passes: number; readonly removed: RowCounts };

/**
 * Time after which no function works for a customer that was closed, in milliseconds: running instances of the intake
 * remember it for a while, and an invocation that began in that time ends within a minute.
 */
export const quietTime = customerMemory + 60_000;

/** Each pass finds less. Rows that keep appearing mean that another program writes them. */
const maxPasses = 5;

/**
 * Deletes a customer with all of its rows. The row that lists the customer is removed last, so an interrupted deletion
 * is still listed, and running it again completes it. A pass that began after the quiet time and found no new row shows
 * that nothing is left.
 *
 * @throws Error when rows keep appearing
 */
export function deleteCustomer(deps: Deps) {
  return async ({ id }: Pick<Customer, 'id'>): Promise<Erasure> => {
    let removed = await close(deps, id);
    let closedAt = deps.now();
    for (let pass = 1; pass <= maxPasses; pass += 1) {
      if (pass > 1) await waitUntil(deps, closedAt + quietTime);
      const closed = pass === 1 ? {} : await close(deps, id);
      if (pass === 2) deps.onStep({ step: 'closed' });
      closedAt = pass === 1 ? closedAt : deps.now();
      const found = await deps.erasePass(id, {
        isLast: pass > 1,
        onProgress: (read, rows) => deps.onStep({ step: 'erasing', pass, read, removed: rows }),
      });
      removed = sumOf(sumOf(removed, closed), found.removed);
      if (pass > 1 && !found.foundContents && Object.keys(closed).length === 0) {
        deps.onStep({ step: 'forgetting' });
        await deps.forgetCustomer(id);
        return { passes: pass, removed };
      }
    }
    throw new Error(
      `Customer ${id} is not deleted: rows appeared in each of ${maxPasses} passes. Stop the program that writes them, ` +
        'then run the command again',
    );
  };
}

async function close({ onStep, closeCustomer }: Deps, id: string): Promise<RowCounts> {
  onStep({ step: 'closing' });
  return await closeCustomer(id);
}

async function waitUntil({ now, wait, onStep }: Deps, time: number): Promise<void> {
  const rest = time - now();
  if (rest <= 0) return;
  onStep({ step: 'waiting' });
  await wait(rest);
}
