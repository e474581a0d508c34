import type { DueAttempt } from '#shared/domain/delivery.ts';
import type { MessageResult, TimeLeft } from '#shared/operations/ports.ts';
import { type AttemptDeps, attemptEndpoint, type EndpointKey } from './attempt-endpoint.ts';

/**
 * Makes the attempts of a batch, grouped by endpoint and all concurrently: a slow or failing endpoint delays no other.
 *
 * @returns one result for each attempt, in order
 */
export function deliverAttempts(deps: AttemptDeps) {
  return async (batch: readonly DueAttempt[], timeLeft: TimeLeft): Promise<readonly MessageResult[]> => {
    const finished = await Promise.all(
      endpointsOf(batch).map((endpoint) => {
        const attempts = batch.filter(({ key }) => isAt(key, endpoint));
        return attemptEndpoint(deps, endpoint, attempts, timeLeft);
      }),
    );
    const results = new Map(finished.flat());
    return batch.map((due) => results.get(due) ?? 'retry');
  };
}

function endpointsOf(batch: readonly DueAttempt[]): readonly EndpointKey[] {
  return batch
    .map(({ key }) => key)
    .filter((key, index, keys) => keys.findIndex((other) => isAt(other, key)) === index);
}

function isAt(key: EndpointKey, endpoint: EndpointKey): boolean {
  return key.customerId === endpoint.customerId && key.webhookId === endpoint.webhookId;
}
