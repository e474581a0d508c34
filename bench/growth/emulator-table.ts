import { connectTable, type Table } from '#shared/aws/clients.ts';
import { tableSchema } from '#shared/contract/table-schema.ts';
import { createServiceClient } from '../../local/stack/service-client.ts';
import { localRegion } from '../../local/template/identities.ts';

type KeyNames = { readonly partitionKey: string; readonly sortKey: string };

const keysOf = ({ partitionKey, sortKey }: KeyNames) => [
  { AttributeName: partitionKey, KeyType: 'HASH' },
  { AttributeName: sortKey, KeyType: 'RANGE' },
];

/** Creates a table with the keys and indexes of a deployed one. */
export async function createTable(dynamodbUrl: string, name: string): Promise<void> {
  const indexes = Object.values(tableSchema.indexes);
  const names = [tableSchema, ...indexes].flatMap(({ partitionKey, sortKey }) => [partitionKey, sortKey]);
  const { call, close } = createServiceClient('dynamodb', dynamodbUrl);
  await call('CreateTable', {
    TableName: name,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: names.map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
    KeySchema: keysOf(tableSchema),
    GlobalSecondaryIndexes: indexes.map((index) => ({
      IndexName: index.name,
      KeySchema: keysOf(index),
      Projection: { ProjectionType: 'KEYS_ONLY' },
    })),
  }).finally(close);
}

/** @throws Error for a row that cannot be read, instead of skipping it */
export function openTable(dynamodbUrl: string, name: string): Table {
  const report: Table['report'] = (event) => {
    throw new Error(`Cannot measure: the table reported ${JSON.stringify(event)}`);
  };
  return connectTable(name, report, {
    endpoint: dynamodbUrl,
    region: localRegion,
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });
}
