import { toDeliveryItem } from '#shared/aws/table/deliveries/delivery-item.ts';
import { readEvent } from '#shared/contract/event-body.ts';
import { pendingDelivery, recorded } from '#shared/domain/delivery.ts';
import { runCompletedBody } from '#shared/domain/event.ts';
import { planFanOut } from '#shared/domain/fan-out.ts';
import { expiryAt } from '#shared/domain/retention.ts';
import { acknowledged, buildLogEntry, hour, minute } from '../../support/values/builders.ts';
import type { Script } from './script.ts';
import type { World } from './world.ts';

/** Events whose deliveries ended some hours before the run began. */
export async function giveEnded(world: World, customerId: string, { events, as } = none): Promise<void> {
  const endpoints = world.table.liveEndpoints(customerId);
  for (let number = 1; number <= events; number += 1) {
    const acceptedAt = world.timeline.now - (events - number + 2) * hour;
    const subjectId = `run_before_${number}`;
    const fanOut = planFanOut(customerId, 'run.completed', subjectId, endpoints, acceptedAt);
    world.table.tellFanOut(customerId, subjectId, fanOut);
    const run = {
      id: subjectId,
      kind: 'search',
      status: 'completed',
      chargeUsd: 0,
      trackerId: null,
    } as const;
    const head = { id: fanOut.eventId, createdAt: acceptedAt };
    const body = runCompletedBody(head, run, 'https://api.example.com');
    const log = attempts[as].map(({ at, ...outcome }) =>
      buildLogEntry({ ...outcome, at: acceptedAt + at, durationMs: 100 }),
    );
    for (const { webhookId, deliveryId: id } of fanOut.deliveries) {
      const pending = pendingDelivery({ id, customerId, webhookId, body, event: readEvent(body) });
      const ended = log.reduce(
        (delivery, entry) => recorded(delivery, entry, { status: as, endedAt: entry.at + entry.durationMs }),
        { ...pending, attempts: log.length },
      );
      world.journal.endedBefore.add(id);
      const expires_at = expiryAt({ days: world.script.retentionDays ?? null }, ended.endedAt ?? 0);
      world.table.put({ ...toDeliveryItem(ended), ...(expires_at === null ? {} : { expires_at }) });
    }
  }
  // No read lags so far that it shows the time before.
  if (events > 0) await world.timeline.advanceTo(world.timeline.now + minute);
}

const none: NonNullable<Script['endedBefore']> = { events: 0, as: 'failed' };

/** Outcomes, with their milliseconds after the event. */
const attempts = {
  failed: [{ at: 0 }, { at: 10 * minute }, { at: 60 * minute }],
  delivered: [{ at: 0, ...acknowledged }],
} as const;
