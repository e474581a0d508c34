import * as z from 'zod/mini';
import type { Table } from '#shared/aws/clients.ts';
import type { AttemptTime } from '#shared/domain/last-delivery.ts';
import type { ReadAttemptTimes } from '#shared/operations/ports.ts';
import { deliveriesPartition } from '../keys.ts';
import { readAll, reads, time } from '../stored-row.ts';

/** A faulty time must not hide the times of other deliveries, so its delivery counts as not attempted. */
const attemptRow = z.object({ sk: z.string(), last_at: z.catch(z.optional(time), undefined) });

export function readAttemptTimes(table: Table): ReadAttemptTimes {
  return async ({ customerId, id }, partition, before, limit) => {
    const { Items = [] } = await table.client.query({
      TableName: table.name,
      KeyConditionExpression: before === null ? 'pk = :pk' : 'pk = :pk AND sk < :before',
      ExpressionAttributeValues: {
        ':pk': deliveriesPartition(customerId, id, partition),
        ...(before === null ? {} : { ':before': before }),
      },
      ProjectionExpression: 'sk, last_at',
      // The delivery function may read no other attributes.
      Select: 'SPECIFIC_ATTRIBUTES',
      ScanIndexForward: false,
      ConsistentRead: true,
      Limit: limit,
    });
    return readAll(table, Items, fromAttemptRow);
  };
}

const fromAttemptRow = reads(
  'Delivery',
  attemptRow,
  ({ sk, last_at }): AttemptTime => ({ id: sk, lastAttemptAt: last_at ?? null }),
);
