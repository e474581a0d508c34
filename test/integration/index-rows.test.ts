import { expect, it } from 'vitest';
import { tableSchema } from '#shared/contract/table-schema.ts';
import { useTable } from '../support/aws/table.ts';

const { current } = useTable();
const { partitionKey, sortKey, indexes, expiresAt } = tableSchema;

it.each(Object.values(indexes))(
  'rows of the index $name are keys alone, so that a page costs little',
  async (index) => {
    const keys = {
      [partitionKey]: 'DLV#cus_1',
      [sortKey]: 'whd_1',
      [index.partitionKey]: 'place',
      [index.sortKey]: '1',
    };
    await current().putItems([{ ...keys, body: 'x'.repeat(1000), status: 'pending', [expiresAt]: 4_000_000_000 }]);

    const { Items } = await current().client.query({
      TableName: current().name,
      IndexName: index.name,
      KeyConditionExpression: '#place = :place',
      ExpressionAttributeNames: { '#place': index.partitionKey },
      ExpressionAttributeValues: { ':place': 'place' },
    });

    expect(Items).toEqual([keys]);
  },
);
