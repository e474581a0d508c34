import type { Table } from '#shared/aws/clients.ts';
import { storeDelivery } from '#shared/aws/table/deliveries/deliveries.ts';
import { readEvent } from '#shared/contract/event-body.ts';
import { type Delivery, type DueAttempt, nextAttempt, pendingDelivery } from '#shared/domain/delivery.ts';
import type { EventType } from '#shared/domain/event.ts';
import type { FanOut, Listener } from '#shared/domain/fan-out.ts';
import { type Lane, laneOf } from '#shared/domain/lane.ts';
import type { AcceptedEvent } from '#shared/operations/telemetry-event.ts';

/** A first attempt, with the lane of its endpoint. */
export type Queueable = { readonly due: DueAttempt; readonly lane: Lane };

/** The effects of a stored message; without an event, it has neither member. */
export type Effects = {
  readonly deliveries?: readonly Queueable[];
  readonly event?: AcceptedEvent;
};

type StoredEvent = {
  readonly customerId: string;
  readonly type: EventType;
  readonly runId: string;
  /** As this release writes it. */
  readonly body: string;
  /** The fan-out that this message would have. */
  readonly planned: FanOut;
  /** The fan-out that is stored. */
  readonly fanOut: FanOut;
  readonly endpoints: readonly Listener[];
};

/** Stores the deliveries of an event. */
export async function fanOutEffects(
  table: Table,
  { customerId, type, runId, body, planned, fanOut, endpoints }: StoredEvent,
): Promise<Effects> {
  const attempts = await storeFanOut(table, customerId, fanOut, body);
  return {
    deliveries: withLanes(attempts, endpoints),
    event: {
      customerId,
      event: { id: fanOut.eventId, type, runId },
      deliveries: fanOut.deliveries.length,
      isRepeated: fanOut.eventId !== planned.eventId,
    },
  };
}

/**
 * Stores the deliveries of a fan-out. The first delivery decides the bytes of the event: when a message is repeated
 * under a release that writes events differently, the other deliveries copy the first one.
 *
 * @param body the event as this release writes it
 * @returns the first attempt of each unattempted delivery, including deliveries that an earlier message stored
 */
async function storeFanOut(
  table: Table,
  customerId: string,
  fanOut: FanOut,
  body: string,
): Promise<readonly DueAttempt[]> {
  const store = (
    { webhookId, deliveryId: id }: FanOut['deliveries'][number],
    { body, event }: Pick<Delivery, 'body' | 'event'>,
  ) => storeDelivery(table, pendingDelivery({ id, customerId, webhookId, body, event }), null);
  const [first, ...rest] = fanOut.deliveries;
  if (first === undefined) return [];
  const decided = await store(first, { body, event: readEvent(body) });
  const others = await Promise.all(rest.map((delivery) => store(delivery, decided)));
  return [decided, ...others]
    .filter((delivery) => delivery.status === 'pending' && delivery.attempts === 0)
    .map(nextAttempt);
}

/** An endpoint of a stored fan-out may be gone by now: the delivery function then cancels its delivery. */
function withLanes(attempts: readonly DueAttempt[], endpoints: readonly Listener[]): readonly Queueable[] {
  const slow = new Set(endpoints.filter((endpoint) => laneOf(endpoint) === 'slow').map(({ id }) => id));
  return attempts.map((due) => ({ due, lane: slow.has(due.key.webhookId) ? 'slow' : 'ordinary' }));
}
