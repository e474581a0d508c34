import { readEvent } from '#shared/contract/event-body.ts';
import type { StoredChangeReport } from '#shared/contract/records/stored-results.ts';
import { type Delivery, type DueAttempt, nextAttempt, pendingDelivery } from '#shared/domain/delivery.ts';
import { deliveryId, digest, eventId } from '#shared/domain/derived-id.ts';
import type { Endpoint } from '#shared/domain/endpoint.ts';
import type { EventRun, EventType } from '#shared/domain/event.ts';
import type { StoreDelivery } from '#shared/operations/ports.ts';

/**
 * Who is told about one thing that happened: decided once, stored in the same write as the thing itself, and read
 * back whenever its message repeats. Repeats so find the same event and the same deliveries, even when endpoints
 * came or went in between.
 */
export type FanOut = {
  readonly eventId: string;
  /** When the event was accepted, epoch milliseconds. */
  readonly acceptedAt: number;
  readonly deliveries: readonly { readonly webhookId: string; readonly deliveryId: string }[];
};

/** What a message tells of a Change Report. */
export type ToldReport = {
  readonly trackerId: string;
  readonly report: StoredChangeReport;
  /** The Run that found the change. */
  readonly run: EventRun;
};

/**
 * Stores a Change Report with the fan-out of its event, unless its id is stored: whatever else another message says
 * of it, there is one report and one event.
 *
 * @returns what the event says, and who is told, as the first message had it
 */
export type StoreChangeReport = (
  customerId: string,
  told: ToldReport,
  fanOut: FanOut,
) => Promise<Pick<ToldReport, 'trackerId' | 'run'> & { readonly fanOut: FanOut }>;

/** What decides whether an endpoint is told, and where its delivery is stored. */
export type Listener = Pick<Endpoint, 'id' | 'deliveryPartitions'> & { readonly status: string };

/** @param subjectId the Run or the Change Report that the event is about */
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

/**
 * Stores the deliveries of a fan-out. The first one decides the bytes of the event: when a message repeats under a
 * release that writes events differently, the other deliveries get what the first one has.
 *
 * @param body the event as this release writes it
 * @returns the first attempts of those that were not attempted yet, also when an earlier try stored them
 */
export async function storeFanOut(
  storeDelivery: StoreDelivery,
  customerId: string,
  fanOut: FanOut,
  body: string,
): Promise<readonly DueAttempt[]> {
  const store = (
    { webhookId, deliveryId: id }: FanOut['deliveries'][number],
    { body, event }: Pick<Delivery, 'body' | 'event'>,
  ) => storeDelivery(pendingDelivery({ id, customerId, webhookId, body, event }), null);
  const [first, ...rest] = fanOut.deliveries;
  if (first === undefined) return [];
  const decided = await store(first, { body, event: readEvent(body) });
  const others = await Promise.all(rest.map((delivery) => store(delivery, decided)));
  return [decided, ...others]
    .filter((delivery) => delivery.status === 'pending' && delivery.attempts === 0)
    .map(nextAttempt);
}
