import { deleteEndpoint } from '#shared/aws/table/endpoints/endpoint-slots.ts';
import { problem } from '#shared/contract/problem.ts';
import { changeSettles } from '#shared/domain/endpoint.ts';
import type { Needs } from '#shared/operations/needs.ts';

type Deps = Pick<Needs, 'table' | 'now' | 'wait'>;

/**
 * Deletes an endpoint. Its pending deliveries end as failed when their next attempt comes due.
 *
 * The response waits until no worker acts on an earlier read of the endpoint, so no POST begins after it. `not_found`
 * waits too: another request may have deleted the endpoint a moment ago.
 */
export function deleteWebhook({ table, now, wait }: Deps) {
  return async (customerId: string, webhookId: string): Promise<void> => {
    const deleted = await deleteEndpoint(table, customerId, webhookId, now());
    await wait(changeSettles);
    if (!deleted) throw problem('not_found');
  };
}
