import * as z from 'zod';
import type { Table } from '#shared/aws/clients.ts';
import type { Delivery } from '#shared/domain/delivery.ts';
import type { DeliveryHistory } from '#shared/domain/endpoint.ts';
import { mergeNewestFirst } from '#shared/domain/merge-parts.ts';
import type { ReadDeliveries } from '#shared/operations/customer/list-deliveries.ts';
import type { Rows } from '#shared/operations/paging.ts';
import { deliveriesPartition } from '../keys.ts';
import { readAll } from '../stored-row.ts';
import { fromDeliveryItem } from './delivery-item.ts';
import { type DeliveryRange, deliveryRange, isEmptyRange, rangeCondition } from './delivery-range.ts';

/** Maximum number of deliveries that a filtered page reads from each partition. */
const filteredChunk = 250;

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
    return mergeNewestFirst(chunks, limit, matches ?? undefined);
  };
}

/** One partition's newest deliveries after the cursor; `next` is the last id read, if older deliveries follow. */
async function readChunk(
  table: Table,
  endpoint: DeliveryHistory,
  partition: number,
  range: DeliveryRange,
  size: number,
): Promise<Rows<Delivery>> {
  const { Items = [], LastEvaluatedKey } = await table.client.query({
    TableName: table.name,
    ...rangeCondition(deliveriesPartition(endpoint.customerId, endpoint.id, partition), range),
    ScanIndexForward: false,
    ConsistentRead: true,
    Limit: size,
  });
  return {
    rows: readAll(table, Items, fromDeliveryItem),
    next: LastEvaluatedKey === undefined ? null : rowId.parse(LastEvaluatedKey).sk,
  };
}
