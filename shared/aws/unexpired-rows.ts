import type { QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import { tableSchema } from '#shared/contract/table-schema.ts';
import { isExpired } from '#shared/domain/retention.ts';
import type { Clock } from '#shared/operations/ports.ts';
import type { TableClient } from './table-client.ts';

type Row = Readonly<Record<string, unknown>>;

/**
 * Maximum number of queries for one page. Expired rows are at the end of most lists, and there may be many until
 * DynamoDB has removed them. A page that stops here is short or empty, and the next one continues.
 */
const maxQueries = 10;

/**
 * A client whose reads do not find expired rows, although DynamoDB has not removed them. A query whose page holds
 * expired rows reads on until its limit is reached, so that pages are full. With a filter, the limit is one of the rows
 * read, and pages are never full: such a query reads once.
 *
 * Writes are not affected: a condition meets the row as it is stored. Indexes hold keys only, so a reader of an index
 * reads the rows themselves.
 */
export function servingUnexpired(client: TableClient, now: Clock): TableClient {
  const isServed = (row: Row): boolean => !isExpired(row[tableSchema.expiresAt], now());
  return {
    ...client,
    get: async (input, options) => {
      const { Item, ...rest } = await client.get(readingExpiry(input), options);
      return Item === undefined || !isServed(Item) ? rest : { ...rest, Item };
    },
    query: (input) => (input.IndexName === undefined ? queryServed(client, input, isServed) : client.query(input)),
    batchGet: async (input, options) => {
      const { Responses = {}, ...rest } = await client.batchGet(input, options);
      const served = Object.entries(Responses).map(([table, rows]) => [table, rows.filter(isServed)]);
      return { ...rest, Responses: Object.fromEntries(served) };
    },
  };
}

async function queryServed(client: TableClient, input: QueryCommandInput, isServed: (row: Row) => boolean) {
  const found: Record<string, unknown>[] = [];
  let page = readingExpiry(input);
  for (let queries = 1; ; queries += 1) {
    const { Items = [], LastEvaluatedKey, ...rest } = await client.query(page);
    const served = Items.filter(isServed);
    found.push(...served);
    const missing = (input.Limit ?? 0) - found.length;
    const isShort = input.FilterExpression === undefined && served.length < Items.length && missing > 0;
    if (LastEvaluatedKey === undefined) return { ...rest, Items: found };
    if (!isShort || queries === maxQueries) return { ...rest, Items: found, LastEvaluatedKey };
    page = { ...page, ExclusiveStartKey: LastEvaluatedKey, Limit: missing };
  }
}

/** A read that names its attributes has to name the time as well. */
function readingExpiry<T extends { readonly ProjectionExpression?: string | undefined }>(input: T): T {
  const { ProjectionExpression: named } = input;
  return named === undefined ? input : { ...input, ProjectionExpression: `${named}, ${tableSchema.expiresAt}` };
}
