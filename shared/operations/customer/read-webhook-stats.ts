import { readDeliveryHistory } from '#shared/aws/table/endpoints/endpoints.ts';
import type { WebhookStats } from '#shared/contract/records/webhook-stats.ts';
import { deliveryStats } from '#shared/domain/delivery-stats.ts';
import { type StatsWindowName, statsWindow } from '#shared/domain/stats-window.ts';
import { found } from '#shared/operations/found.ts';
import type { Needs } from '#shared/operations/needs.ts';
import { sampleDeliveries } from './sample-deliveries.ts';

type Deps = Pick<Needs, 'now' | 'table'>;

/** `payRequest` counts another request of the caller. It throws Problem `rate_limit_exceeded` at the limit. */
type Asked = {
  readonly customerId: string;
  readonly webhookId: string;
  readonly window: StatsWindowName;
  readonly payRequest: () => Promise<void>;
};

/**
 * The figures of an endpoint, deleted or not, over a time. Each round of reads that samples a busy endpoint costs the
 * caller a request.
 *
 * @throws Problem `not_found`, `rate_limit_exceeded`
 */
export function readWebhookStats({ table, now }: Deps) {
  return async ({ customerId, webhookId, payRequest, ...asked }: Asked): Promise<WebhookStats> => {
    const endpoint = found(await readDeliveryHistory(table, customerId, webhookId));
    const window = statsWindow(asked.window, now());
    const { deliveries, ...limits } = await sampleDeliveries({ table, endpoint, window, payRequest });
    return { ...deliveryStats(deliveries, window), ...limits, window };
  };
}
