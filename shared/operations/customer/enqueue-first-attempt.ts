import { type Delivery, nextAttempt } from '#shared/domain/delivery.ts';
import type { Endpoint } from '#shared/domain/endpoint.ts';
import { laneOf } from '#shared/domain/lane.ts';
import type { Needs } from '#shared/operations/needs.ts';

export type EnqueueDeps = Pick<Needs, 'enqueueAttempts' | 'report'>;

/**
 * Queues the first attempt of a delivery that a customer asked for. If the queue refuses, the delivery stays stored and
 * waits for the next sweep.
 */
export async function enqueueFirstAttempt(deps: EnqueueDeps, endpoint: Endpoint, delivery: Delivery): Promise<void> {
  try {
    const refused = await deps.enqueueAttempts([nextAttempt(delivery)], laneOf(endpoint));
    if (refused.length > 0) throw new Error('Refused by the queue');
  } catch (cause) {
    deps.report({ name: 'step.failed', step: 'enqueue', delivery, cause });
  }
}
