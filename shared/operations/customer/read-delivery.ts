import { problem } from '#shared/contract/problem.ts';
import type { Delivery, DeliveryKey } from '#shared/domain/delivery.ts';
import type { ReadDelivery } from '#shared/operations/ports.ts';

/** Reads one delivery. It is found by customer, endpoint and id together, so another's is never seen. */
export function readDelivery(deps: { readonly readDelivery: ReadDelivery }) {
  return async (key: DeliveryKey): Promise<Delivery> => {
    const delivery = await deps.readDelivery(key);
    if (delivery === null) throw problem('not_found');
    return delivery;
  };
}
