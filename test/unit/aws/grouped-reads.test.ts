import { BatchGetCommand } from '@aws-sdk/lib-dynamodb';
import { expect, it } from 'vitest';
import { groupReads } from '#shared/aws/table/grouped-requests.ts';
import { liveEndpointKey } from '#shared/aws/table/keys.ts';
import { commandsOf, tableName, useMockTable } from '../../support/aws/aws-mocks.ts';

const { table, mock } = useMockTable();

it('groupReads() reads the items of one turn in one strong read, whatever their order in the response', async () => {
  const keys = ['whe_1', 'whe_2', 'whe_3'].map((id) => liveEndpointKey('cus_1', id));
  const [first, second] = keys;
  mock.on(BatchGetCommand).resolves({
    Responses: {
      [tableName]: [
        { ...second, url: 'second' },
        { ...first, url: 'first' },
      ],
    },
  });
  const read = groupReads(table);

  expect(await Promise.all(keys.map((key) => read(key)))).toEqual([
    { ...first, url: 'first' },
    { ...second, url: 'second' },
    null,
  ]);

  const request = { RequestItems: { [tableName]: { Keys: keys, ConsistentRead: true } } };
  expect(commandsOf(mock)).toEqual([{ BatchGetCommand: request }]);
});
