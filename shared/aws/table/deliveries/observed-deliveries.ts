import * as z from 'zod/mini';
import type { Table } from '#shared/aws/clients.ts';
import { tableSchema } from '#shared/contract/table-schema.ts';
import type { ReadObserved } from '#shared/operations/customer/read-rounds.ts';
import type { Clock } from '#shared/operations/ports.ts';
import { deliveriesPartition } from '../keys.ts';
import { readAll, reads } from '../stored-row.ts';
import { fromObservedItem } from './delivery-item.ts';
import { rangeCondition } from './delivery-range.ts';

const idInKey = reads('Delivery', z.object({ sk: z.string() }), ({ sk }) => sk);

/** Of a query that found nothing, and of an answer that does not say. */
const leastUnits = 0.5;

/** One query for each read. It leaves out expired rows itself: that of pages would read on until its limit is reached. */
export function readObserved(table: Table, now: Clock): ReadObserved {
  return async ({ customerId, id }, { partition, newestFirst, ...range }, Limit) => {
    const condition = rangeCondition(deliveriesPartition(customerId, id, partition), range);
    const { expiresAt } = tableSchema;
    const {
      Items = [],
      LastEvaluatedKey,
      ConsumedCapacity,
    } = await table.client.query({
      TableName: table.name,
      ...condition,
      ExpressionAttributeValues: { ...condition.ExpressionAttributeValues, ':now': now() / 1_000 },
      ExpressionAttributeNames: { '#status': 'status', '#log': 'log' },
      FilterExpression: `attribute_not_exists(${expiresAt}) OR ${expiresAt} > :now`,
      ProjectionExpression: 'pk, sk, #status, replay_of, #log',
      ScanIndexForward: !newestFirst,
      Limit,
      ReturnConsumedCapacity: 'TOTAL',
    });
    return {
      rows: readAll(table, Items, fromObservedItem),
      next: LastEvaluatedKey === undefined ? null : idInKey(LastEvaluatedKey),
      units: ConsumedCapacity?.CapacityUnits ?? leastUnits,
    };
  };
}
