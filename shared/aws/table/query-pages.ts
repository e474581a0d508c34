import type { QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import type { Table } from '#shared/aws/clients.ts';
import type { ItemKey } from './keys.ts';
import { type ReadRow, readAll } from './stored-row.ts';

/** A query without its page. */
type Query = Omit<QueryCommandInput, 'TableName' | 'ExclusiveStartKey'>;

/** Reads every page of a query, each when it is asked for. @returns the rows of one page at a time */
export async function* queryPages(
  table: Pick<Table, 'client' | 'name'>,
  input: Query,
): AsyncGenerator<readonly Record<string, unknown>[], void> {
  let start: QueryCommandInput['ExclusiveStartKey'];
  do {
    const { Items = [], LastEvaluatedKey } = await table.client.query({
      TableName: table.name,
      ...input,
      ...(start === undefined ? {} : { ExclusiveStartKey: start }),
    });
    yield Items;
    start = LastEvaluatedKey;
  } while (start !== undefined);
}

/** Reads all rows of a query, strongly consistent. */
export async function queryAll(
  table: Pick<Table, 'client' | 'name'>,
  input: Query,
): Promise<readonly Record<string, unknown>[]> {
  const rows: Record<string, unknown>[] = [];
  for await (const page of queryPages(table, { ...input, ConsistentRead: true })) rows.push(...page);
  return rows;
}

/** Reads the records of a list from its end, strongly consistent. */
export async function readNewestFirst<T>(table: Table, input: Query, read: ReadRow<T>): Promise<readonly T[]> {
  return readAll(table, await queryAll(table, { ...input, ScanIndexForward: false }), read);
}

/** The rows of a partition whose sort keys begin with that of a key. */
export function rowsBelow({ pk, sk }: ItemKey) {
  return {
    KeyConditionExpression: 'pk = :pk AND begins_with(sk, :sk)',
    ExpressionAttributeValues: { ':pk': pk, ':sk': sk },
  };
}
