import type { Api, ApiResponse } from '../../api/client.ts';
import type { EndpointDelivery } from '../../api/records.ts';
import type { Page } from '../../parts/pages.ts';
import type { Filters } from '../../routing/route.ts';

/** Reads a page of the deliveries that match the filters, of one endpoint or of all. */
export async function readDeliveries(
  api: Api,
  { webhook, ...given }: Filters,
  page: { readonly cursor?: string; readonly limit?: string },
  signal: AbortSignal | null = null,
): Promise<ApiResponse<Page<EndpointDelivery>>> {
  // The API refuses wrong values of a link and says what is wrong with them.
  const querySerializer = () => `${new URLSearchParams({ ...given, ...page })}`;
  if (webhook === undefined) return await api.GET('/v1/deliveries', { querySerializer, signal });
  const init = { params: { path: { id: webhook } }, querySerializer, signal };
  const { data, error, response } = await api.GET('/v1/webhooks/{id}/deliveries', init);
  if (data === undefined) return { error, response };
  const items = data.items.map((delivery) => ({ ...delivery, webhook_id: webhook }));
  return { data: { ...data, items }, response };
}
