import * as z from 'zod';
import type { Table } from '#shared/aws/clients.ts';
import type { Delivery } from '#shared/domain/delivery.ts';
import type { DeliveryHistory, ReadDeliveries } from '#shared/operations/customer/list-deliveries.ts';
import type { Rows } from '#shared/operations/customer/paging.ts';
import { fromDeliveryItem } from './delivery-item.ts';
import { type DeliveryRange, deliveryRange, isEmptyRange, rangeCondition } from './delivery-range.ts';
import { deliveriesPartition } from './keys.ts';
import { readAll } from './stored-row.ts';

/** Maximum number of deliveries that a filtered page reads from each partition. */
const filteredChunk = 250;

/** One partition's newest deliveries after the cursor. `horizon`: the last id read, if older deliveries follow. */
type Chunk = { readonly rows: readonly Delivery[]; readonly horizon: string | null };

const rowId = z.object({ sk: z.string() });

/**
 * Reads pages of deliveries, newest first. An ordinary endpoint has one partition, and a page is one query. For an
 * endpoint with several partitions, a page merges one query per partition. Ids are totally ordered, so a page is exact
 * in both cases.
 */
export function readDeliveries(table: Table): ReadDeliveries {
  return async (endpoint, page) => {
    const { limit, matches } = page;
    const range = deliveryRange(page);
    if (isEmptyRange(range)) return { rows: [], next: null };
    const size = matches === null ? limit + 1 : filteredChunk;
    const partitions = Array.from({ length: endpoint.deliveryPartitions }, (_, partition) => partition);
    const chunks = await Promise.all(
      partitions.map((partition) => readChunk(table, endpoint, partition, range, size)),
    );
    return mergeChunks(chunks, limit, matches ?? (() => true));
  };
}

async function readChunk(
  table: Table,
  endpoint: DeliveryHistory,
  partition: number,
  range: DeliveryRange,
  size: number,
): Promise<Chunk> {
  const { Items = [], LastEvaluatedKey } = await table.client.query({
    TableName: table.name,
    ...rangeCondition(deliveriesPartition(endpoint.customerId, endpoint.id, partition), range),
    ScanIndexForward: false,
    ConsistentRead: true,
    Limit: size,
  });
  return {
    rows: readAll(table, Items, fromDeliveryItem),
    horizon: LastEvaluatedKey === undefined ? null : rowId.parse(LastEvaluatedKey).sk,
  };
}

/**
 * The newest `limit` matching rows of all chunks. Rows older than the horizon of a chunk are left out, because the
 * partition of that chunk may hold unread rows in between.
 */
export function mergeChunks(
  chunks: readonly Chunk[],
  limit: number,
  matches: (delivery: Delivery) => boolean,
): Rows<Delivery> {
  const horizon = chunks
    .flatMap((chunk) => chunk.horizon ?? [])
    .sort()
    .at(-1);
  const known = chunks
    .flatMap(({ rows }) => rows)
    .filter(({ id }) => horizon === undefined || id >= horizon)
    .sort((left, right) => (left.id < right.id ? 1 : -1));
  return takeMatching(known, limit, matches, horizon ?? null);
}

/** @param unread the last id read, when unread rows follow; `null` otherwise */
export function takeMatching(
  known: readonly Delivery[],
  limit: number,
  matches: (delivery: Delivery) => boolean,
  unread: string | null,
): Rows<Delivery> {
  const rows: Delivery[] = [];
  for (const delivery of known) {
    if (!matches(delivery)) continue;
    if (rows.length === limit) return { rows, next: rows.at(-1)?.id ?? null };
    rows.push(delivery);
  }
  return { rows, next: unread };
}
