import type { QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import type { Table } from '#shared/aws/clients.ts';
import { tableSchema } from '#shared/contract/table-schema.ts';
import type { Endpoint } from '#shared/domain/endpoint.ts';
import { deliveriesPartition, runsPartition, tombstoneKey } from '../keys.ts';
import { rowsBelow } from '../query-pages.ts';

const { listed } = tableSchema.indexes;

/** A number of rows; `isExact` is false when more rows follow. */
export type Count = { readonly rows: number; readonly isExact: boolean };

/** Counts one page of each partition of an endpoint's deliveries: up to 1 MB. */
export async function countDeliveries(table: Table, { customerId, id, deliveryPartitions }: Endpoint): Promise<Count> {
  const partitions = Array.from({ length: deliveryPartitions }, (_, partition) =>
    deliveriesPartition(customerId, id, partition),
  );
  const counts = await Promise.all(
    partitions.map((pk) =>
      countPage(table, {
        KeyConditionExpression: 'pk = :pk',
        ExpressionAttributeValues: { ':pk': pk },
      }),
    ),
  );
  return {
    rows: counts.reduce((sum, { rows }) => sum + rows, 0),
    isExact: counts.every(({ isExact }) => isExact),
  };
}

/** Counts one page of the list of Runs, which holds keys only: several thousand. */
export function countRuns(table: Table, customerId: string): Promise<Count> {
  return countPage(table, {
    IndexName: listed.name,
    KeyConditionExpression: `${listed.partitionKey} = :list`,
    ExpressionAttributeValues: { ':list': runsPartition(customerId, 0) },
  });
}

export function countDeletedEndpoints(table: Table, customerId: string): Promise<Count> {
  return countPage(table, rowsBelow(tombstoneKey(customerId, '')));
}

async function countPage(table: Table, input: Omit<QueryCommandInput, 'TableName'>): Promise<Count> {
  const { Count: rows = 0, LastEvaluatedKey } = await table.client.query({
    TableName: table.name,
    ...input,
    Select: 'COUNT',
  });
  return { rows, isExact: LastEvaluatedKey === undefined };
}
