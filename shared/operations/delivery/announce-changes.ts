import type { Table } from '#shared/aws/clients.ts';
import { readRecentDeliveries } from '#shared/aws/table/deliveries/delivery-pages.ts';
import { settleNotices } from '#shared/aws/table/endpoints/endpoint-health.ts';
import { readLiveEndpoint } from '#shared/aws/table/endpoints/endpoints.ts';
import { deliveredShareOf } from '#shared/domain/delivery-stats.ts';
import type { Endpoint } from '#shared/domain/endpoint.ts';
import type { Notice, OwedNotice } from '#shared/domain/notice.ts';
import type { Needs } from '#shared/operations/needs.ts';

/** What a batch did to the health of an endpoint: `unknown` when a write failed, which may still take effect. */
export type HealthChange = 'none' | 'stored' | 'unknown';

/** Puts a notice on its way to the operator. */
export type SendNotice = (endpoint: Endpoint, notice: Notice) => Promise<void>;

export type AnnounceDeps = Pick<Needs, 'table' | 'report'> & {
  /** Absent when the operator wants no notices. */
  readonly sendNotice?: SendNotice | undefined;
};

/**
 * Sends the notices that the deliveries of a batch have to send, once their outcomes are recorded. Only the stored endpoint
 * says which: the response of a write may have been lost, or the worker of an earlier try has died. A notice of an endpoint
 * that was deleted meanwhile is not sent.
 *
 * @param endpoint as the worker read it
 * @param deliveryIds of the batch
 * @param change what the batch did to the health of the endpoint
 * @returns `false` when a notice may still have to be sent: the messages of the batch have to return
 */
export async function announceChanges(
  deps: AnnounceDeps,
  endpoint: Endpoint,
  deliveryIds: readonly string[],
  change: HealthChange,
): Promise<boolean> {
  const { table, sendNotice, report } = deps;
  const isOurs = ({ deliveryId }: OwedNotice) => deliveryIds.includes(deliveryId);
  if (sendNotice === undefined) return true;
  if (change === 'none' && !endpoint.owedNotices.some(isOurs)) return true;
  const { customerId, id } = endpoint;
  try {
    const current = await readLiveEndpoint(table, customerId, id);
    const owed = current?.owedNotices.filter(isOurs) ?? [];
    if (current !== null) await forgetOldest(table, current, isOurs);
    if (current !== null && owed.length > 0) {
      const deliveredShare = deliveredShareOf(await readRecentDeliveries(table, current));
      for (const each of owed) await sendNotice(current, { ...each, deliveredShare });
      await settleNotices(table, current, owed);
    }
    return change !== 'unknown';
  } catch (cause) {
    report({ name: 'step.failed', step: 'notice', subject: { customerId, webhookId: id }, cause });
    return false;
  }
}

/** Notices that an endpoint owes at most besides those of a batch. Each batch reads them all. */
const mostOwed = 4;

/** The message of a delivery may be lost, or the queue may refuse notices for hours: the newest few say enough. */
async function forgetOldest(table: Table, endpoint: Endpoint, isOurs: (notice: OwedNotice) => boolean): Promise<void> {
  const others = endpoint.owedNotices.filter((notice) => !isOurs(notice));
  const oldest = others.sort((one, other) => other.at - one.at).slice(mostOwed);
  if (oldest.length > 0) await settleNotices(table, endpoint, oldest);
}
