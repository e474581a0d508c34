import * as z from 'zod/mini';
import type { Table } from '#shared/aws/clients.ts';
import { tableSchema } from '#shared/contract/table-schema.ts';
import { type DeliveryKey, deliveryStatuses } from '#shared/domain/delivery.ts';
import { maxDeliveryPartitions } from '#shared/domain/derived-id.ts';
import type { DeliveryHistory } from '#shared/domain/endpoint.ts';
import { firstIdAt, idTime } from '#shared/domain/ids.ts';
import type { AuditedDelivery, AuditedReplay, Span } from '#shared/domain/progress.ts';
import { isRefused, updateIf } from '../conditional-write.ts';
import {
  bulkReplayKey,
  customerListKey,
  deletionKey,
  deliveriesPartition,
  deliveryKey,
  earlierTombstoneKey,
  type ItemKey,
  liveEndpointKey,
  runningReplayKey,
  waitingAttributes,
} from '../keys.ts';
import { queryAll, queryPages } from '../query-pages.ts';
import { type ReadRow, readAll, reads } from '../stored-row.ts';

/** The reads of the audit. All are by key, and none includes the body of a delivery. */

const { waiting } = tableSchema.indexes;

/** Sorts after every character of a sort key. */
const lastCharacter = '~';

const customerRow = z.object({ sk: z.string() });

/** An invalid number of partitions must not hide deliveries, so it defaults to the maximum. */
const endpointRow = z.object({
  sk: z.string(),
  delivery_partitions: z.catch(z.int().check(z.minimum(1), z.maximum(maxDeliveryPartitions)), maxDeliveryPartitions),
});

const auditedRow = z.object({
  sk: z.string(),
  status: z.enum(deliveryStatuses),
  lease_until: z.optional(z.number()),
  [waiting.sortKey]: z.optional(z.string().check(z.regex(/^\d{14}#/, 'must begin with a time'))),
});

const runningRow = z.object({ replay_id: z.string() });

/** The job can have ended since the other row was read. */
const replayRow = z.object({
  status: z.literal('running'),
  claimed_at: z.catch(z.optional(z.number()), undefined),
});

const projection = {
  ProjectionExpression: `sk, #status, lease_until, ${waiting.sortKey}`,
  ExpressionAttributeNames: { '#status': 'status' },
};

/** The ids of all customers, in pages of some hundreds. */
export async function* listCustomerIds(table: Table): AsyncGenerator<readonly string[]> {
  const pages = queryPages(table, {
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': customerListKey('').pk },
    ProjectionExpression: 'sk',
  });
  for await (const rows of pages) yield rows.map((row) => customerRow.parse(row).sk);
}

/**
 * Every endpoint that a customer holds or that was deleted since a time (epoch milliseconds), and every one that an
 * earlier release deleted, because the time of that deletion is unknown.
 */
export async function listEndpointsSince(
  table: Table,
  customerId: string,
  since: number,
): Promise<readonly DeliveryHistory[]> {
  const below = ({ pk, sk }: ItemKey) => readEndpointRows(table, pk, sk, `${sk}${lastCharacter}`);
  const { pk, sk } = deletionKey(customerId, since, '');
  const { sk: last } = deletionKey(customerId, Number.MAX_SAFE_INTEGER, lastCharacter);
  // Live endpoints first: an endpoint that is deleted between the reads appears in at least one of them.
  const live = await below(liveEndpointKey(customerId, ''));
  const deleted = await readEndpointRows(table, pk, sk, last);
  const deletedEarlier = await below(earlierTombstoneKey(customerId, ''));
  const partitions = new Map([...live, ...deletedEarlier, ...deleted]);
  return [...partitions].map(([id, deliveryPartitions]) => ({ customerId, id, deliveryPartitions }));
}

/** @returns pairs of endpoint id, which is the last part of the sort key, and number of partitions */
async function readEndpointRows(
  table: Table,
  pk: string,
  first: string,
  last: string,
): Promise<readonly [string, number][]> {
  const rows = await queryAll(table, {
    KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :last',
    ExpressionAttributeValues: { ':pk': pk, ':first': first, ':last': last },
    ProjectionExpression: 'sk, delivery_partitions',
  });
  return rows
    .map((row) => endpointRow.parse(row))
    .map(({ sk, delivery_partitions: count }) => [sk.slice(sk.lastIndexOf('#') + 1), count]);
}

/** The deliveries of an endpoint that were created in a span, in pages. The newest writes may be missing. */
export async function* readAuditedDeliveries(
  table: Table,
  endpoint: DeliveryHistory,
  span: Span,
): AsyncGenerator<readonly AuditedDelivery[]> {
  const { customerId, id, deliveryPartitions } = endpoint;
  for (let partition = 0; partition < deliveryPartitions; partition += 1) {
    const pk = deliveriesPartition(customerId, id, partition);
    const pages = queryPages(table, {
      KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :last',
      ExpressionAttributeValues: {
        ':pk': pk,
        ':first': firstIdAt('delivery', span.from),
        ':last': firstIdAt('delivery', span.to + 1),
      },
      ...projection,
    });
    for await (const page of pages) {
      const rows = page.map((row) => ({ pk, ...row }));
      yield readAll(table, rows, auditedDeliveryOf(endpoint));
    }
  }
}

/** Strongly consistent; `null` when the delivery does not exist. */
export async function readAuditedDelivery(table: Table, key: DeliveryKey): Promise<AuditedDelivery | null> {
  const { Item } = await table.client.get({
    TableName: table.name,
    Key: deliveryKey(key),
    ConsistentRead: true,
    ...projection,
  });
  if (Item === undefined) return null;
  return auditedDeliveryOf({ customerId: key.customerId, id: key.webhookId })(Item);
}

/** The bulk replay of an endpoint that is running; `null` when there is none. Only if there is one, its job is read. */
export async function readAuditedReplay(
  table: Table,
  { customerId, id: webhookId }: DeliveryHistory,
): Promise<AuditedReplay | null> {
  const running = await table.client.get({
    TableName: table.name,
    Key: runningReplayKey(customerId, webhookId),
  });
  if (running.Item === undefined) return null;
  const key = { customerId, webhookId, id: runningRow.parse(running.Item).replay_id };
  const { Item } = await table.client.get({
    TableName: table.name,
    Key: bulkReplayKey(key),
    ConsistentRead: true,
  });
  const { success, data } = replayRow.safeParse(Item);
  return success ? { key, lastStepAt: data.claimed_at ?? idTime(key.id) } : null;
}

/**
 * Puts a delivery into the index that the sweep reads, unless it ended or has an entry.
 *
 * @param dueAt epoch milliseconds
 * @returns whether it was added
 */
export async function markDue(table: Table, key: DeliveryKey, dueAt: number): Promise<boolean> {
  const place = waitingAttributes(key, dueAt);
  const result = await updateIf(table, {
    Key: deliveryKey(key),
    UpdateExpression: `SET ${waiting.partitionKey} = :shard, ${waiting.sortKey} = :place`,
    ConditionExpression: `#status = :pending AND attribute_not_exists(${waiting.sortKey})`,
    ExpressionAttributeNames: { '#status': 'status' },
    ExpressionAttributeValues: {
      ':pending': 'pending',
      ':shard': place[waiting.partitionKey],
      ':place': place[waiting.sortKey],
    },
  });
  return !isRefused(result);
}

function auditedDeliveryOf(endpoint: Pick<DeliveryHistory, 'customerId' | 'id'>): ReadRow<AuditedDelivery> {
  return reads('Delivery', auditedRow, (row) => {
    const place = row[waiting.sortKey];
    return {
      key: { customerId: endpoint.customerId, webhookId: endpoint.id, id: row.sk },
      status: row.status,
      createdAt: idTime(row.sk),
      leaseUntil: row.lease_until ?? null,
      dueAt: place === undefined ? null : Number(place.split('#')[0]),
    };
  });
}
