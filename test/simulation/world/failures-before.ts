import { readEvent } from '#shared/contract/event-body.ts';
import { type Delivery, pendingDelivery, recorded } from '#shared/domain/delivery.ts';
import { runCompletedBody } from '#shared/domain/event.ts';
import { planFanOut } from '#shared/domain/fan-out.ts';
import { buildLogEntry } from '../../support/values/builders.ts';
import type { World } from './world.ts';

const minute = 60_000;
const hour = 60 * minute;

/** Events whose deliveries failed at every endpoint of the customer, some hours before the run began. */
export function giveFailures(world: World, customerId: string, count: number): void {
  const endpoints = world.table.liveEndpoints(customerId);
  for (let number = 1; number <= count; number += 1) {
    const acceptedAt = world.timeline.now - (count - number + 2) * hour;
    const subjectId = `run_before_${number}`;
    const fanOut = planFanOut(customerId, 'run.completed', subjectId, endpoints, acceptedAt);
    world.table.putFanOut(customerId, subjectId, fanOut);
    const run = {
      id: subjectId,
      kind: 'search',
      status: 'completed',
      chargeUsd: 0,
      trackerId: null,
    } as const;
    const body = runCompletedBody(
      { id: fanOut.eventId, createdAt: acceptedAt },
      run,
      'https://api.example.com',
    );
    const event = readEvent(body);
    for (const { webhookId, deliveryId: id } of fanOut.deliveries)
      world.table.putDelivery(
        failed(pendingDelivery({ id, customerId, webhookId, body, event }), acceptedAt),
        null,
      );
  }
}

/** After three attempts at their times. */
function failed(delivery: Delivery, acceptedAt: number): Delivery {
  const [first, second, last] = [0, 10 * minute, 60 * minute].map((after) =>
    buildLogEntry({ at: acceptedAt + after, durationMs: 100 }),
  );
  if (first === undefined || second === undefined || last === undefined) return delivery;
  const waiting = { status: 'pending', retryAt: last.at } as const;
  const tried = recorded(recorded({ ...delivery, attempts: 3 }, first, waiting), second, waiting);
  return recorded(tried, last, { status: 'failed', endedAt: last.at + last.durationMs });
}
