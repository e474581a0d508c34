import { GetCommand, QueryCommand, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { beforeEach, describe, expect, it } from 'vitest';
import { findPortalLink, markPortalLinkRevoked, readPortalLinks } from '#shared/aws/table/portal-links.ts';
import { commandsOf, mockTable, tableName, transactionCanceled } from '../../support/aws/aws-mocks.ts';
import { customerId, startOfTest } from '../../support/values/builders.ts';

let { table, mock } = mockTable();
beforeEach(() => {
  ({ table, mock } = mockTable());
});

const facts = {
  id: 'plk_1',
  customer_id: customerId,
  hash: 'abc',
  created_at: startOfTest,
  ends_at: startOfTest + 1,
};

describe('findPortalLink()', () => {
  it('reads one row by the hash, strongly consistent, so that a revocation takes effect at once', async () => {
    mock.on(GetCommand).resolves({ Item: { ...facts, revoked_at: startOfTest } });

    expect(await findPortalLink(table)('abc')).toMatchObject({ id: 'plk_1', revokedAt: startOfTest });
    const Key = { pk: 'PTL#abc', sk: 'PORTAL_LINK' };
    expect(commandsOf(mock)).toEqual([{ GetCommand: { TableName: tableName, Key, ConsistentRead: true } }]);
  });
});

describe('readPortalLinks()', () => {
  it('reads the list of the customer, strongly consistent, newest first', async () => {
    mock.on(QueryCommand).resolves({ Items: [facts] });

    expect(await readPortalLinks(table)(customerId)).toMatchObject([{ id: 'plk_1', revokedAt: null }]);
    expect(commandsOf(mock)).toMatchObject([
      {
        QueryCommand: {
          ExpressionAttributeValues: { ':pk': `PTL#${customerId}` },
          ScanIndexForward: false,
          ConsistentRead: true,
        },
      },
    ]);
  });
});

describe('markPortalLinkRevoked()', () => {
  it('finds no link whose customer is being deleted', async () => {
    mock.on(GetCommand).resolves({ Item: facts });
    mock.on(TransactWriteCommand).rejects(transactionCanceled('ConditionalCheckFailed', 'None'));

    expect(await markPortalLinkRevoked(table)(customerId, 'plk_1', startOfTest)).toBeNull();
  });

  it('throws the failure of the table', async () => {
    mock.on(GetCommand).resolves({ Item: facts });
    mock.on(TransactWriteCommand).rejects(new Error('throttled'));

    await expect(markPortalLinkRevoked(table)(customerId, 'plk_1', startOfTest)).rejects.toThrow('throttled');
  });
});
