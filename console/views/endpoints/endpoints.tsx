import { resultOf } from '../../api/client.ts';
import type { Webhook } from '../../api/records.ts';
import { type Load, useLoad, useRead } from '../../parts/use-load.ts';
import { useSession } from '../../session/session.ts';
import { shownStatus } from './endpoint-facts.ts';

/** One endpoint. */
export function useEndpoint(id: string): Load<Webhook> {
  return useRead(id, (api, signal) => api.GET('/v1/webhooks/{id}', { params: { path: { id } }, signal }));
}

/** All endpoints of the customer. */
export function useEndpoints() {
  return useRead('endpoints', (api, signal) => api.GET('/v1/webhooks', { signal }));
}

/** The figures of the active endpoints by id, all or none. They are read once, and when an endpoint is added. */
export function useFigures(endpoints: readonly Webhook[]) {
  const { api } = useSession();
  const ids = endpoints.filter(({ status }) => status === 'active').map(({ id }) => id);
  return useLoad(`figures of ${ids}`, async (signal) => {
    const read = (id: string) => api.GET('/v1/webhooks/{id}/stats', { params: { path: { id } }, signal });
    return new Map(await Promise.all(ids.map(async (id) => [id, await resultOf(read(id))] as const)));
  });
}

/** @param what cannot be done to an endpoint: `no example can be sent to it` */
export function NotActive({ endpoint, what }: { readonly endpoint: Webhook; readonly what: string }) {
  return (
    <p class="muted">
      The endpoint is {shownStatus(endpoint)}, so {what}. Only an active endpoint receives events.
    </p>
  );
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
