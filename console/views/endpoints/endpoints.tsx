import type { Webhook } from '../../api/records.ts';
import { type Load, useRead } from '../../parts/use-load.ts';
import type { Status } from '../../parts/values.tsx';

/** One endpoint. */
export function useEndpoint(id: string): Load<Webhook> {
  return useRead(id, (api, signal) => api.GET('/v1/webhooks/{id}', { params: { path: { id } }, signal }));
}

/** All endpoints of the customer. */
export function useEndpoints() {
  return useRead('endpoints', (api, signal) => api.GET('/v1/webhooks', { signal }));
}

/** The status of an endpoint for people: an active one that events do not reach is `failing`. */
export function shownStatus({ status, failing_since: since }: Webhook): Status {
  return status === 'active' && since !== null ? 'failing' : status;
}

/** The query that finds the test event of a registration: it was created with its endpoint, within a second. */
export function handshakeOf({ created_at: created }: Webhook) {
  const before = new Date(Date.parse(created) + 1_000).toISOString();
  return { event_type: 'webhook.test', created_after: created, created_before: before } as const;
}

/** An endpoint in a row of a list: its URL, and the description that the reader gave it. */
export function EndpointName({ endpoint: { url, description } }: { readonly endpoint: Webhook }) {
  return (
    <>
      <bdi class="url">{url}</bdi>
      {description !== '' && <bdi class="muted text">{description}</bdi>}
    </>
  );
}
