import type { Table } from '#shared/aws/clients.ts';
import { tableSchema } from '#shared/contract/table-schema.ts';
import type { ObservedDelivery } from '#shared/domain/delivery-stats.ts';
import type { DeliveryHistory } from '#shared/domain/endpoint.ts';
import type { Rows } from '#shared/operations/paging.ts';
import { deliveriesPartition } from '../keys.ts';
import { readAll } from '../stored-row.ts';
import { fromObservedItem, lastRead } from './delivery-item.ts';
import { rangeCondition } from './delivery-range.ts';

/** Of a query that found nothing, and of an answer that does not say. */
const leastUnits = 0.5;

/** Deliveries of one partition of an endpoint, by their ids. */
export type ObservedRange = {
  readonly partition: number;
  /** Included; `null`: from the oldest. */
  readonly first: string | null;
  /** Not included; `null`: to the newest. */
  readonly end: string | null;
  readonly newestFirst: boolean;
};

/** What was read of a range. `units`: the read units that it took. */
export type Observed = Rows<ObservedDelivery> & { readonly units: number };

/**
 * Reads at most `limit` deliveries of a range with one query, eventually consistent. It leaves out expired rows itself:
 * that of pages would read on until its limit is reached.
 *
 * @param now epoch milliseconds
 */
export async function readObserved(
  table: Table,
  { customerId, id }: DeliveryHistory,
  { partition, newestFirst, ...range }: ObservedRange,
  limit: number,
  now: number,
): Promise<Observed> {
  const condition = rangeCondition(deliveriesPartition(customerId, id, partition), range);
  const { expiresAt } = tableSchema;
  const {
    Items = [],
    LastEvaluatedKey,
    ConsumedCapacity,
  } = await table.client.query({
    TableName: table.name,
    ...condition,
    ExpressionAttributeValues: { ...condition.ExpressionAttributeValues, ':now': now / 1_000 },
    ExpressionAttributeNames: { '#status': 'status', '#log': 'log' },
    FilterExpression: `attribute_not_exists(${expiresAt}) OR ${expiresAt} > :now`,
    ProjectionExpression: 'pk, sk, #status, replay_of, #log',
    ScanIndexForward: !newestFirst,
    Limit: limit,
    ReturnConsumedCapacity: 'TOTAL',
  });
  return {
    rows: readAll(table, Items, fromObservedItem),
    next: lastRead(LastEvaluatedKey),
    units: ConsumedCapacity?.CapacityUnits ?? leastUnits,
  };
}
