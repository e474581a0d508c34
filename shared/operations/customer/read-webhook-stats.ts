import type { Delivery } from '#shared/domain/delivery.ts';
import { deliveryStats, type WebhookStats, type WindowLimits } from '#shared/domain/delivery-stats.ts';
import type { DeliveryHistory } from '#shared/domain/endpoint.ts';
import { found } from '#shared/operations/found.ts';
import type { Clock } from '#shared/operations/ports.ts';
import type { ReadDeliveryHistory } from './list-deliveries.ts';

/** Reads the newest deliveries of an endpoint, as many as a few read units hold; eventually consistent. */
export type ReadRecentDeliveries = (
  endpoint: DeliveryHistory,
) => Promise<WindowLimits & { readonly deliveries: readonly Delivery[] }>;

type Deps = {
  readonly now: Clock;
  readonly readEndpoint: ReadDeliveryHistory;
  readonly readRecentDeliveries: ReadRecentDeliveries;
};

/** The figures of an endpoint, deleted or not, over its newest deliveries. */
export function readWebhookStats({ now, readEndpoint, readRecentDeliveries }: Deps) {
  return async (customerId: string, webhookId: string): Promise<WebhookStats> => {
    const endpoint = found(await readEndpoint(customerId, webhookId));
    const { deliveries, ...limits } = await readRecentDeliveries(endpoint);
    return { ...deliveryStats(deliveries, now()), ...limits };
  };
}
