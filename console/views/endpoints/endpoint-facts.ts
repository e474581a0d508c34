import type { Webhook, WebhookStats } from '../../api/records.ts';

/**
 * The status of an endpoint for people: an active one that events do not reach is `failing`, and one that never became
 * active is `not active`.
 */
export function shownStatus({ status, failing_since: since }: Pick<Webhook, 'status' | 'failing_since'>) {
  if (status === 'failed') return 'not active';
  return status === 'active' && since !== null ? 'failing' : status;
}

/** Endpoints as a reader looks for what is wrong: those that fail, then those with the most failures. */
export function worstFirst<T extends Pick<Webhook, 'id' | 'failing_since'>>(
  endpoints: readonly T[],
  figures: ReadonlyMap<string, Pick<WebhookStats, 'deliveries'>> | null = null,
): readonly T[] {
  const failedOf = ({ id }: T) => figures?.get(id)?.deliveries.failed ?? 0;
  const isFailing = ({ failing_since: since }: T) => (since === null ? 0 : 1);
  return endpoints.toSorted((one, other) => isFailing(other) - isFailing(one) || failedOf(other) - failedOf(one));
}

/** The query that finds the test event of a registration: it was created with its endpoint, within a second. */
export function handshakeOf({ created_at: created }: Webhook) {
  const before = new Date(Date.parse(created) + 1_000).toISOString();
  return { event_type: 'webhook.test', created_after: created, created_before: before } as const;
}

/** Whether an active endpoint has got nothing but the test event of its registration. */
export function isUntried({
  status,
  activated_at: activated,
  last_delivery_at: last,
}: Pick<Webhook, 'status' | 'activated_at' | 'last_delivery_at'>): boolean {
  return status === 'active' && (last ?? '') <= (activated ?? '');
}
