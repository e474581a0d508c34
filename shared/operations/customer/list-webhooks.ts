import type { ListQuery } from '#shared/contract/list-query.ts';
import type { Endpoint } from '#shared/domain/endpoint.ts';
import { type Cursors, type PageRequest, type Rows, readPage } from '#shared/operations/paging.ts';
import type { ListLiveEndpoints, ReadAttemptTimes } from '#shared/operations/ports.ts';
import { withLastDelivery } from './last-delivery.ts';

type Deps = {
  readonly cursors: Cursors;
  readonly listLiveEndpoints: ListLiveEndpoints;
  readonly readAttemptTimes: ReadAttemptTimes;
};

/** The endpoints that a customer holds, newest first, without deleted ones. */
export function listWebhooks({ cursors, listLiveEndpoints, readAttemptTimes }: Deps) {
  const complete = withLastDelivery(readAttemptTimes);
  return (customerId: string, query: ListQuery) =>
    readPage(cursors, ['webhooks', customerId], query, async (page) => {
      const { rows, next } = slice(await listLiveEndpoints(customerId), page);
      return { rows: await Promise.all(rows.map(complete)), next };
    });
}

/** A customer holds a handful of endpoints, so the whole list is read and cut here. */
function slice(endpoints: readonly Endpoint[], { after, limit }: PageRequest): Rows<Endpoint> {
  const rest = after === null ? endpoints : endpoints.filter((endpoint) => endpoint.id < after);
  const rows = rest.slice(0, limit);
  return { rows, next: rest.length > limit ? (rows.at(-1)?.id ?? null) : null };
}
