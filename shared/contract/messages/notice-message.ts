import { timestamp } from '#shared/contract/timestamp.ts';
import type { Customer } from '#shared/domain/customer.ts';
import type { Endpoint } from '#shared/domain/endpoint.ts';
import { type Notice, noticeId } from '#shared/domain/notice.ts';

/** The `source` of notices on an EventBridge bus; their `detail-type` is their `type`. */
export const noticeSource = 'webhooks';

/** The stage that sends notices, and the address of its console without a fragment. */
export type NoticeOrigin = { readonly stage: string; readonly consoleUrl: string };

/** `customer`: null if it is being deleted. */
type About = { readonly endpoint: Endpoint; readonly customer: Customer | null };

/** A notice as it is sent. The URL has neither a user nor a query, which may contain secrets. */
export function toNoticeMessage(about: About, notice: Notice, { stage, consoleUrl }: NoticeOrigin) {
  const { endpoint, customer } = about;
  const { origin, pathname } = new URL(endpoint.url);
  return {
    id: noticeId(endpoint.id, notice),
    type: notice.type,
    time: timestamp(notice.at),
    stage,
    customer: {
      id: endpoint.customerId,
      public_name: customer?.publicName || null,
      reference: customer?.reference ?? null,
      metadata: customer?.metadata ?? {},
    },
    endpoint: { id: endpoint.id, url: origin + pathname },
    failing_since: timestamp(notice.failingSince),
    cause: {
      delivery_id: notice.deliveryId,
      outcome: notice.outcome,
      response_status: notice.responseStatus,
      error: notice.error,
    },
    delivered_share: notice.deliveredShare,
    links: { console: `${consoleUrl}#/endpoints/${endpoint.id}` },
  };
}
