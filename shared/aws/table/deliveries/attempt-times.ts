import * as z from 'zod/mini';
import type { Table } from '#shared/aws/clients.ts';
import type { Endpoint } from '#shared/domain/endpoint.ts';
import type { AttemptTime } from '#shared/domain/last-delivery.ts';
import { deliveriesPartition } from '../keys.ts';
import { readAll, reads, time } from '../stored-row.ts';

/** A faulty time must not hide the times of other deliveries, so its delivery counts as not attempted. */
const attemptRow = z.object({ sk: z.string(), last_at: z.catch(z.optional(time), undefined) });

/**
 * Reads a page of one partition of an endpoint's deliveries, newest first; strongly consistent.
 *
 * @param before the page holds only ids that sort before this text; `null` for the newest page
 */
export async function readAttemptTimes(
  table: Table,
  { customerId, id }: Pick<Endpoint, 'customerId' | 'id'>,
  partition: number,
  before: string | null,
  limit: number,
): Promise<readonly AttemptTime[]> {
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
}

const fromAttemptRow = reads(
  'Delivery',
  attemptRow,
  ({ sk, last_at }): AttemptTime => ({ id: sk, lastAttemptAt: last_at ?? null }),
);
