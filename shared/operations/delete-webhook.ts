import { problem } from '../contract/problem.ts';
import type { Clock } from './ports.ts';

type Deps = {
  /** Turns the live endpoint into a tombstone and frees its slot, together. @returns `false` when there is none */
  readonly entombEndpoint: (customerId: string, webhookId: string, at: number) => Promise<boolean>;
  readonly now: Clock;
};

/** Deletes an endpoint. Its pending deliveries end as failed when their next attempt comes due. */
export function deleteWebhook(deps: Deps) {
  return async (customerId: string, webhookId: string): Promise<void> => {
    if (!(await deps.entombEndpoint(customerId, webhookId, deps.now()))) throw problem('not_found');
  };
}
