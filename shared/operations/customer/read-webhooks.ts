import type { Table } from '#shared/aws/clients.ts';
import { readAttemptTimes } from '#shared/aws/table/deliveries/attempt-times.ts';
import { listLiveEndpoints, readEndpoint } from '#shared/aws/table/endpoints/endpoints.ts';
import type { ListQuery } from '#shared/contract/list-query.ts';
import type { Endpoint } from '#shared/domain/endpoint.ts';
import { attemptPageSize, latestAttempt, latestTime, nextAttemptPage } from '#shared/domain/last-delivery.ts';
import { found } from '#shared/operations/found.ts';
import type { Needs } from '#shared/operations/needs.ts';
import { type PageRequest, type Rows, readPage } from '#shared/operations/paging.ts';

/** An endpoint of a customer, deleted or not. */
export async function getWebhook(table: Table, customerId: string, webhookId: string): Promise<Endpoint> {
  return withLastDelivery(table, found(await readEndpoint(table, customerId, webhookId)));
}

type ListDeps = Pick<Needs, 'table' | 'cursors'>;

/** The endpoints that a customer holds, newest first, without deleted ones. */
export function listWebhooks({ table, cursors }: ListDeps) {
  return (customerId: string, query: ListQuery) =>
    readPage(cursors, ['webhooks', customerId], query, async (page) => {
      const { rows, next } = slice(await listLiveEndpoints(table, customerId), page);
      return { rows: await Promise.all(rows.map((row) => withLastDelivery(table, row))), next };
    });
}

/** A customer holds a handful of endpoints, so the whole list is read and cut here. */
function slice(endpoints: readonly Endpoint[], { after, limit }: PageRequest): Rows<Endpoint> {
  const rest = after === null ? endpoints : endpoints.filter((endpoint) => endpoint.id < after);
  const rows = rest.slice(0, limit);
  return { rows, next: rest.length > limit ? (rows.at(-1)?.id ?? null) : null };
}

/** Completes an endpoint for display: the time of its last delivery is the later of the stored one and the newest. */
export async function withLastDelivery(table: Table, endpoint: Endpoint): Promise<Endpoint> {
  const partitions = Array.from({ length: endpoint.deliveryPartitions }, (_, partition) => partition);
  const times = await Promise.all(partitions.map((partition) => latestIn(table, endpoint, partition)));
  return { ...endpoint, lastDeliveryAt: latestTime([endpoint.lastDeliveryAt, ...times]) };
}

/** The start of the last attempt that the newest deliveries of a partition show. */
async function latestIn(table: Table, endpoint: Endpoint, partition: number): Promise<number | null> {
  const size = attemptPageSize(endpoint.deliveryPartitions);
  let latest: number | null = null;
  let before: string | null = null;
  for (let pages = 1; ; pages += 1) {
    const page = await readAttemptTimes(table, endpoint, partition, before, size);
    latest = latestTime([latest, latestAttempt(page)]);
    before = nextAttemptPage(page, pages, size);
    if (before === null) return latest;
  }
}
