import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import { readAttemptTimes } from '#shared/aws/table/attempt-times.ts';
import { commandsOf, mockTable, tableName } from '../../support/aws/aws-mocks.ts';
import {
  buildEndpoint,
  customerId,
  deliveryIdNumber,
  startOfTest,
  webhookId,
} from '../../support/values/builders.ts';

describe('readAttemptTimes()', () => {
  it('reads keys and times in one strongly consistent query, newest first', async () => {
    const { table, mock } = mockTable();
    mock.on(QueryCommand).resolves({ Items: [{ sk: deliveryIdNumber(1), last_at: startOfTest }] });

    const times = await readAttemptTimes(table)(buildEndpoint(), 3, deliveryIdNumber(2), 8);

    expect(times).toEqual([{ id: deliveryIdNumber(1), lastAttemptAt: startOfTest }]);
    expect(commandsOf(mock)).toEqual([
      {
        QueryCommand: {
          TableName: tableName,
          KeyConditionExpression: 'pk = :pk AND sk < :before',
          ExpressionAttributeValues: {
            ':pk': `DLV#${customerId}#${webhookId}#3`,
            ':before': deliveryIdNumber(2),
          },
          ProjectionExpression: 'sk, last_at',
          Select: 'SPECIFIC_ATTRIBUTES',
          ScanIndexForward: false,
          ConsistentRead: true,
          Limit: 8,
        },
      },
    ]);
  });

  it('counts a delivery with a faulty time as not attempted', async () => {
    const { table, mock } = mockTable();
    mock.on(QueryCommand).resolves({ Items: [{ sk: deliveryIdNumber(1), last_at: 'yesterday' }] });

    expect(await readAttemptTimes(table)(buildEndpoint(), 0, null, 8)).toEqual([
      { id: deliveryIdNumber(1), lastAttemptAt: null },
    ]);
  });
});
