import type { Webhook } from '../../api/records.ts';
import { type Load, useRead } from '../../parts/use-load.ts';

/** One endpoint. */
export function useEndpoint(id: string): Load<Webhook> {
  return useRead(id, (api, signal) => api.GET('/v1/webhooks/{id}', { params: { path: { id } }, signal }));
}

/** All endpoints of the customer. */
export function useEndpoints() {
  return useRead('endpoints', (api, signal) => api.GET('/v1/webhooks', { signal }));
}
