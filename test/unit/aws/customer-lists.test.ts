import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import { readApiKeys, readCustomers } from '#shared/aws/table/customers.ts';
import { commandsOf, mockTable, tableName } from '../../support/aws/aws-mocks.ts';
import { customerId, startOfTest } from '../../support/values/builders.ts';

describe('readCustomers()', () => {
  it('reads every page, also after a page without rows', async () => {
    const { table, mock } = mockTable();
    const row = { id: customerId, name: 'Acme', created_at: startOfTest };
    const key = { pk: 'CUSTOMERS', sk: customerId };
    mock
      .on(QueryCommand)
      .resolvesOnce({ Items: [row], LastEvaluatedKey: key })
      .resolvesOnce({ Items: [], LastEvaluatedKey: key })
      .resolvesOnce({ Items: [row] });

    const customers = await readCustomers(table)();

    const customer = { id: customerId, name: 'Acme', createdAt: startOfTest };
    expect(customers).toEqual([customer, customer]);
    expect(mock.commandCalls(QueryCommand)).toHaveLength(3);
    expect(mock.commandCalls(QueryCommand)[1]?.args[0].input).toMatchObject({ ExclusiveStartKey: key });
  });
});

describe('readApiKeys()', () => {
  it('reads the keys of one customer, newest first', async () => {
    const { table, mock } = mockTable();
    mock.on(QueryCommand).resolves({ Items: [] });

    expect(await readApiKeys(table)(customerId)).toEqual([]);

    expect(commandsOf(mock)).toMatchObject([
      {
        QueryCommand: {
          TableName: tableName,
          KeyConditionExpression: 'pk = :pk AND begins_with(sk, :prefix)',
          ExpressionAttributeValues: { ':pk': `CUS#${customerId}`, ':prefix': 'KEY#' },
          ScanIndexForward: false,
          ConsistentRead: true,
        },
      },
    ]);
  });
});
