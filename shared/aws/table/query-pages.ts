import type { QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import type { Table } from '#shared/aws/clients.ts';

/** Reads every page of a query, each when it is asked for. @returns the rows of one page at a time */
export async function* queryPages(
  table: Table,
  input: Omit<QueryCommandInput, 'TableName' | 'ExclusiveStartKey'>,
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
