import { readEvent } from '#shared/contract/event-body.ts';
import { type Delivery, pendingDelivery, recorded } from '#shared/domain/delivery.ts';
import { runCompletedBody } from '#shared/domain/event.ts';
import { planFanOut } from '#shared/domain/fan-out.ts';
import { acknowledged, buildLogEntry } from '../../support/values/builders.ts';
import type { Script } from './script.ts';
import type { World } from './world.ts';

const minute = 60_000;
const hour = 60 * minute;

/** Events whose deliveries ended some hours before the run began. */
export async function giveEnded(world: World, customerId: string, { events, as } = none): Promise<void> {
  const endpoints = world.table.liveEndpoints(customerId);
  for (let number = 1; number <= events; number += 1) {
    const acceptedAt = world.timeline.now - (events - number + 2) * hour;
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
    const head = { id: fanOut.eventId, createdAt: acceptedAt };
    const body = runCompletedBody(head, run, 'https://api.example.com');
    const event = readEvent(body);
    for (const { webhookId, deliveryId: id } of fanOut.deliveries) {
      const delivery = pendingDelivery({ id, customerId, webhookId, body, event });
      world.journal.endedBefore.add(id);
      world.table.putDelivery(after(attempts[as], delivery, acceptedAt, as), null);
    }
  }
  // No read lags so far that it shows the time before.
  if (events > 0) await world.timeline.advanceTo(world.timeline.now + minute);
}

type Ended = NonNullable<Script['endedBefore']>;

const none: Ended = { events: 0, as: 'failed' };

/** Outcomes, with their milliseconds after the event. */
const attempts = {
  failed: [{ at: 0 }, { at: 10 * minute }, { at: 60 * minute }],
  delivered: [{ at: 0, ...acknowledged }],
} as const;

function after(
  tried: (typeof attempts)[Ended['as']],
  delivery: Delivery,
  acceptedAt: number,
  status: Ended['as'],
): Delivery {
  let done: Delivery = { ...delivery, attempts: tried.length };
  for (const { at, ...outcome } of tried) {
    const entry = buildLogEntry({ ...outcome, at: acceptedAt + at, durationMs: 100 });
    done = recorded(done, entry, { status, endedAt: entry.at + entry.durationMs });
  }
  return done;
}
