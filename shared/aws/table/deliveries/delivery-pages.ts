import type { Table } from '#shared/aws/clients.ts';
import type { Delivery } from '#shared/domain/delivery.ts';
import type { DeliveryHistory } from '#shared/domain/endpoint.ts';
import { mergeNewestFirst } from '#shared/domain/merge-parts.ts';
import type { Rows } from '#shared/operations/paging.ts';
import { deliveriesPartition } from '../keys.ts';
import { readAll } from '../stored-row.ts';
import { fromDeliveryItem, lastRead } from './delivery-item.ts';
import {
  type DeliveryPage,
  type DeliveryRange,
  deliveryRange,
  isEmptyRange,
  rangeCondition,
} from './delivery-range.ts';

/**
 * Deliveries that a request reads at most: they take 30 read units, because a strongly consistent read costs twice. They
 * are divided over all partitions of all endpoints that the request is about.
 */
const requestReads = { filtered: 240, unfiltered: 120 } as const;

/**
 * Deliveries that a page reads of each partition at least, however many there are: four cost as much as one. More
 * partitions than `mostConsistent` are read eventually consistent, for half a unit each.
 */
const leastReads = 4;
const mostConsistent = 30;

/**
 * Reads a page of the deliveries of an endpoint, newest first. An ordinary endpoint has one partition, and a page is one
 * query. For an endpoint with several partitions, a page merges one query per partition. Ids are totally ordered, so a
 * page is exact in both cases. It can be short without being the last, and with a filter (`matches`) also empty. With a
 * filter, it may miss changes of the last second.
 */
export async function readDeliveries(
  table: Table,
  endpoint: DeliveryHistory,
  page: DeliveryPage,
): Promise<Rows<Delivery>> {
  const { limit, matches } = page;
  const range = deliveryRange(page);
  if (isEmptyRange(range)) return { rows: [], next: null };
  const { size, isConsistent } = chunkOf(endpoint, page);
  const partitions = Array.from({ length: endpoint.deliveryPartitions }, (_, partition) => partition);
  const chunks = await Promise.all(
    partitions.map((partition) => readChunk(table, endpoint, partition, range, size, isConsistent)),
  );
  return mergeNewestFirst(chunks, limit, matches ?? undefined);
}

/** What a page reads of each partition of an endpoint. */
function chunkOf({ deliveryPartitions }: DeliveryHistory, { limit, matches, share = 1 }: DeliveryPage) {
  const partitions = deliveryPartitions / share;
  const atMost = (reads: number) => Math.max(leastReads, Math.floor(reads / partitions));
  return matches === null
    ? {
        size: Math.min(limit + 1, atMost(requestReads.unfiltered)),
        isConsistent: partitions <= mostConsistent,
      }
    : { size: atMost(requestReads.filtered), isConsistent: false };
}

/**
 * Deliveries that half a read unit holds: DynamoDB charges it for each 4 KB of an eventually consistent query, and a
 * delivery is hardly ever larger than 1 KB.
 */
const groupRows = 4;

/** Six read units. */
const groups = 12;

/**
 * Reads at most 48 of the newest deliveries of an endpoint, divided over the partitions; eventually consistent. Of more
 * than twelve partitions, it reads twelve.
 */
export async function readRecentDeliveries(table: Table, endpoint: DeliveryHistory): Promise<readonly Delivery[]> {
  const length = Math.min(endpoint.deliveryPartitions, groups);
  const size = groupRows * Math.floor(groups / length);
  const everything = { first: null, end: null };
  const chunks = await Promise.all(
    Array.from({ length }, (_, partition) => readChunk(table, endpoint, partition, everything, size, false)),
  );
  return mergeNewestFirst(chunks, groupRows * groups).rows;
}

/** One partition's newest deliveries of a range; `next` is the last id read, if older deliveries follow. */
async function readChunk(
  table: Table,
  endpoint: DeliveryHistory,
  partition: number,
  range: DeliveryRange,
  size: number,
  isConsistent: boolean,
): Promise<Rows<Delivery>> {
  const { Items = [], LastEvaluatedKey } = await table.client.query({
    TableName: table.name,
    ...rangeCondition(deliveriesPartition(endpoint.customerId, endpoint.id, partition), range),
    ScanIndexForward: false,
    ConsistentRead: isConsistent,
    Limit: size,
  });
  return {
    rows: readAll(table, Items, fromDeliveryItem),
    next: lastRead(LastEvaluatedKey),
  };
}
