import type { Webhook } from '../../api/records.ts';

/** The query that finds the test event of a registration: it was created with its endpoint, within a second. */
export function handshakeOf({ created_at: created }: Pick<Webhook, 'created_at'>) {
  const before = new Date(Date.parse(created) + 1_000).toISOString();
  return { event_type: 'webhook.test', created_after: created, created_before: before } as const;
}
