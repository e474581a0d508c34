import { problem } from '#shared/contract/problem.ts';
import { changeSettles } from '#shared/domain/endpoint.ts';
import type { Clock, Wait } from '#shared/operations/ports.ts';

/**
 * Turns a live endpoint into a tombstone and frees its slot, in one transaction.
 *
 * @param at epoch milliseconds
 * @returns `false` when the customer has no such live endpoint
 */
export type EntombEndpoint = (customerId: string, webhookId: string, at: number) => Promise<boolean>;

type Deps = { readonly now: Clock; readonly wait: Wait; readonly entombEndpoint: EntombEndpoint };

/**
 * Deletes an endpoint. Its pending deliveries end as failed when their next attempt comes due.
 *
 * The answer waits until no worker acts on an earlier read of the endpoint: no POST begins after it. That it is not
 * found waits as long: another request may have deleted it a moment ago.
 */
export function deleteWebhook(deps: Deps) {
  return async (customerId: string, webhookId: string): Promise<void> => {
    const entombed = await deps.entombEndpoint(customerId, webhookId, deps.now());
    await deps.wait(changeSettles);
    if (!entombed) throw problem('not_found');
  };
}
