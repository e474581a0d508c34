import { readAttemptTimes } from '#shared/aws/table/deliveries/attempt-times.ts';
import { noteLastDelivery } from '#shared/aws/table/endpoints/endpoints.ts';
import type { Delivery } from '#shared/domain/delivery.ts';
import { deliveryPartition } from '#shared/domain/derived-id.ts';
import type { Endpoint } from '#shared/domain/endpoint.ts';
import {
  attemptPageSize,
  isOnTime,
  isOutdated,
  isRecent,
  latestAttempt,
  latestTime,
} from '#shared/domain/last-delivery.ts';
import type { Needs } from '#shared/operations/needs.ts';

type NoteDeps = Pick<Needs, 'table' | 'report'>;

/**
 * Stores the time of an attempt at its endpoint if the newest deliveries do not show it: a retry of an older delivery,
 * or a late first attempt in a backlog. Writes at most once a minute. The time is only for display, so a failure is
 * reported and the attempt counts without it. Where deliveries expire, it also stores a time each day.
 *
 * @returns a function for the attempts of one batch at one endpoint
 */
export function noteAttempts(deps: NoteDeps) {
  const deliveriesExpire = typeof deps.table.retention?.days === 'number';
  let notedAt: number | null = null;
  return async (endpoint: Endpoint, delivery: Delivery, at: number): Promise<void> => {
    const known = latestTime([endpoint.lastDeliveryAt, notedAt]);
    const isDaily = deliveriesExpire && isOutdated(known, at);
    if (!isDaily && (isOnTime(delivery, at) || isRecent(known, at))) return;
    notedAt = at;
    try {
      if (isDaily || !(await isShown(deps, endpoint, delivery, at))) await noteLastDelivery(deps.table, endpoint, at);
    } catch (cause) {
      deps.report({ name: 'step.failed', step: 'touch', delivery, cause });
    }
  };
}

/** Whether the newest deliveries show this attempt, or a recent one. */
async function isShown(deps: NoteDeps, endpoint: Endpoint, { id }: Delivery, at: number): Promise<boolean> {
  const size = attemptPageSize(endpoint.deliveryPartitions);
  const newest = await readAttemptTimes(deps.table, endpoint, deliveryPartition(id), null, size);
  return newest.some((delivery) => delivery.id === id) || isRecent(latestAttempt(newest), at);
}
