import type { CreateTableCommandInput } from '@aws-sdk/client-dynamodb';
import { tableSchema } from '#shared/contract/table-schema.ts';

type KeyNames = { readonly partitionKey: string; readonly sortKey: string };

const keySchema = ({ partitionKey, sortKey }: KeyNames) => [
  { AttributeName: partitionKey, KeyType: 'HASH' as const },
  { AttributeName: sortKey, KeyType: 'RANGE' as const },
];

/** The table as a deployment makes it. */
export function createTableInput(name: string): CreateTableCommandInput {
  const indexes = Object.values(tableSchema.indexes);
  const keyNames = [tableSchema, ...indexes].flatMap((keys) => [keys.partitionKey, keys.sortKey]);
  return {
    TableName: name,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: keyNames.map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
    KeySchema: keySchema(tableSchema),
    GlobalSecondaryIndexes: indexes.map((index) => ({
      IndexName: index.name,
      KeySchema: keySchema(index),
      Projection: { ProjectionType: 'KEYS_ONLY' },
    })),
  };
}
