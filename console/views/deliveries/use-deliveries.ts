import type { operations } from '../../../packages/api-client/schema.ts';
import type { EndpointDelivery } from '../../api/records.ts';
import { type Pages, usePages } from '../../parts/use-pages.ts';
import type { Filters } from '../../routing/route.ts';

type Query = NonNullable<operations['listAllDeliveries']['parameters']['query']>;

/** The deliveries that match the filters. */
export function useDeliveries(filters: Filters): Pages<EndpointDelivery> {
  const { webhook, ...given } = filters;
  return usePages(JSON.stringify(filters), async (api, page, signal) => {
    // The API refuses wrong values of a link and says what is wrong with them.
    const query = { ...given, ...page } as Query;
    if (webhook === undefined) return await api.GET('/v1/deliveries', { params: { query }, signal });
    const params = { path: { id: webhook }, query };
    const { data, ...rest } = await api.GET('/v1/webhooks/{id}/deliveries', { params, signal });
    if (data === undefined) return rest;
    const items = data.items.map((delivery) => ({ ...delivery, webhook_id: webhook }));
    return { ...rest, data: { ...data, items } };
  });
}
