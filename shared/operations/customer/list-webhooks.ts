import type { ListQuery, Page } from '#shared/contract/list-query.ts';
import { presentWebhook, type WebhookRecord } from '#shared/contract/records/webhook.ts';
import type { Endpoint } from '#shared/domain/endpoint.ts';
import type { Clock, ListLiveEndpoints } from '#shared/operations/ports.ts';
import { type Cursors, type Rows, readPage } from './paging.ts';

type Deps = {
  readonly now: Clock;
  readonly listLiveEndpoints: ListLiveEndpoints;
  readonly cursors: Cursors;
};

/** The endpoints that a customer holds, newest first, without deleted ones. */
export function listWebhooks(deps: Deps) {
  return async (customerId: string, query: ListQuery): Promise<Page<WebhookRecord>> => {
    const now = deps.now();
    return readPage(
      deps.cursors,
      ['webhooks', customerId],
      query,
      async (page) => slice(await deps.listLiveEndpoints(customerId), page),
      (endpoint) => presentWebhook(endpoint, now),
    );
  };
}

/** A customer holds a handful of endpoints, so the whole list is read and cut here. */
function slice(
  endpoints: readonly Endpoint[],
  { after, limit }: { readonly after: string | null; readonly limit: number },
): Rows<Endpoint> {
  const rest = after === null ? endpoints : endpoints.filter((endpoint) => endpoint.id < after);
  const rows = rest.slice(0, limit);
  return { rows, next: rest.length > limit ? (rows.at(-1)?.id ?? null) : null };
}
