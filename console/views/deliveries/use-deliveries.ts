import type { operations } from '../../../packages/api-client/schema.ts';
import { resultOf } from '../../api/client.ts';
import type { EndpointDelivery } from '../../api/records.ts';
import { type Pages, usePages } from '../../parts/use-pages.ts';
import type { Filters } from '../../routing/route.ts';
import { useSession } from '../../session/session.ts';

type Query = NonNullable<operations['listAllDeliveries']['parameters']['query']>;

/** The deliveries that match the filters. */
export function useDeliveries(filters: Filters): Pages<EndpointDelivery> {
  const { api } = useSession();
  const { webhook, ...given } = filters;
  return usePages(JSON.stringify(filters), async (page, signal) => {
    // The API refuses wrong values of a link and says what is wrong with them.
    const query = { ...given, ...page } as Query;
    if (webhook === undefined) {
      return await resultOf(api.GET('/v1/deliveries', { params: { query }, signal }));
    }
    const params = { path: { id: webhook }, query };
    const { items, next_cursor } = await resultOf(
      api.GET('/v1/webhooks/{id}/deliveries', { params, signal }),
    );
    return { items: items.map((delivery) => ({ ...delivery, webhook_id: webhook })), next_cursor };
  });
}
