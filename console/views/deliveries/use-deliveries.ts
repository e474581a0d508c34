import type { EndpointDelivery } from '../../api/records.ts';
import { type Pages, usePages } from '../../parts/use-pages.ts';
import type { Filters } from '../../routing/route.ts';

/** The deliveries that match the filters. */
export function useDeliveries(filters: Filters): Pages<EndpointDelivery> {
  const { webhook, ...given } = filters;
  return usePages(JSON.stringify(filters), async (api, page, signal) => {
    // The API refuses wrong values of a link and says what is wrong with them.
    const querySerializer = () => `${new URLSearchParams({ ...given, ...page })}`;
    if (webhook === undefined) return await api.GET('/v1/deliveries', { querySerializer, signal });
    const init = { params: { path: { id: webhook } }, querySerializer, signal };
    const { data, error, response } = await api.GET('/v1/webhooks/{id}/deliveries', init);
    if (data === undefined) return { error, response };
    const items = data.items.map((delivery) => ({ ...delivery, webhook_id: webhook }));
    return { data: { ...data, items }, response };
  });
}
