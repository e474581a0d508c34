import { problem } from '#shared/contract/problem.ts';
import { changeSettles } from '#shared/domain/endpoint.ts';
import type { Clock, Wait } from '#shared/operations/ports.ts';

/**
 * Replaces a live endpoint with a tombstone and frees its slot, in one transaction.
 *
 * @param at epoch milliseconds
 * @returns `false` when the customer has no live endpoint with this id
 */
export type DeleteEndpoint = (customerId: string, webhookId: string, at: number) => Promise<boolean>;

type Deps = { readonly now: Clock; readonly wait: Wait; readonly deleteEndpoint: DeleteEndpoint };

/**
 * Deletes an endpoint. Its pending deliveries end as failed when their next attempt comes due.
 *
 * The response waits until no worker acts on an earlier read of the endpoint, so no POST begins after it. `not_found`
 * waits too: another request may have deleted the endpoint a moment ago.
 */
export function deleteWebhook(deps: Deps) {
  return async (customerId: string, webhookId: string): Promise<void> => {
    const deleted = await deps.deleteEndpoint(customerId, webhookId, deps.now());
    await deps.wait(changeSettles);
    if (!deleted) throw problem('not_found');
  };
}
