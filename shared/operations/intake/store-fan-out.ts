import { readEvent } from '#shared/contract/event-body.ts';
import { type Delivery, type DueAttempt, nextAttempt, pendingDelivery } from '#shared/domain/delivery.ts';
import type { FanOut } from '#shared/domain/fan-out.ts';
import type { StoreDelivery } from '#shared/operations/ports.ts';

/**
 * Stores the deliveries of a fan-out. The first delivery decides the bytes of the event: when a message is repeated
 * under a release that writes events differently, the other deliveries copy the first one.
 *
 * @param body the event as this release writes it
 * @returns the first attempt of each unattempted delivery, including deliveries that an earlier message stored
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
