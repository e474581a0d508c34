import { deliveryId, digest, eventId } from './derived-id.ts';
import type { Endpoint } from './endpoint.ts';
import type { EventType } from './event.ts';

/**
 * The deliveries of one event. They are decided once, stored in the same write as the subject of the event, and read
 * back when a message about the subject is repeated. A repeat therefore finds the same event and the same deliveries,
 * even when endpoints were added or deleted in between.
 */
export type FanOut = {
  readonly eventId: string;
  /** When the event was accepted, epoch milliseconds. */
  readonly acceptedAt: number;
  readonly deliveries: readonly { readonly webhookId: string; readonly deliveryId: string }[];
};

/** The facts of an endpoint that decide whether it gets an event, where its delivery is stored, and its lane. */
export type Listener = Pick<Endpoint, 'id' | 'deliveryPartitions' | 'slowSince'> & {
  readonly status: string;
};

/**
 * Plans one delivery for each active endpoint.
 *
 * @param subjectId the Run or the Change Report that the event is about
 * @param acceptedAt epoch milliseconds
 */
export function planFanOut(
  customerId: string,
  type: EventType,
  subjectId: string,
  endpoints: readonly Listener[],
  acceptedAt: number,
): FanOut {
  const id = eventId(customerId, type, subjectId, acceptedAt);
  return {
    eventId: id,
    acceptedAt,
    deliveries: endpoints
      .filter((endpoint) => endpoint.status === 'active')
      .map((endpoint) => ({
        webhookId: endpoint.id,
        deliveryId: deliveryId(acceptedAt, digest(id, endpoint.id), endpoint.deliveryPartitions),
      })),
  };
}
