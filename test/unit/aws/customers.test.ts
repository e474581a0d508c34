import { GetCommand, PutCommand, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { beforeEach, describe, expect, it } from 'vitest';
import { readCursorSecret } from '../../../shared/aws/table/cursor-secret.ts';
import { findApiKey, storeApiKey, storeCustomer } from '../../../shared/aws/table/customers.ts';
import {
  commandsOf,
  conditionFailed,
  mockTable,
  tableName,
  transactionCanceled,
  unexpected,
} from '../../support/aws-mocks.ts';
import { at, customerId } from '../../support/aws-records.ts';

let { table, mock } = mockTable();
beforeEach(() => {
  ({ table, mock } = mockTable());
});

const apiKey = {
  id: 'aky_1',
  customerId,
  hash: 'a'.repeat(64),
  prefix: 'key_AbCdEf',
  createdAt: at,
  revokedAt: null,
};
const apiKeyFacts = {
  id: 'aky_1',
  customer_id: customerId,
  hash: apiKey.hash,
  prefix: 'key_AbCdEf',
  created_at: at,
};

describe('storeCustomer()', () => {
  it('stores the customer and its row in the list of all, together', async () => {
    mock.on(TransactWriteCommand).resolves({});

    await storeCustomer(table)({ id: customerId, name: 'Acme', createdAt: at });

    const facts = { id: customerId, name: 'Acme', created_at: at };
    const TransactItems = [
      { Put: { TableName: tableName, Item: { pk: `CUS#${customerId}`, sk: 'CUSTOMER', ...facts } } },
      { Put: { TableName: tableName, Item: { pk: 'CUSTOMERS', sk: customerId, ...facts } } },
    ];
    expect(commandsOf(mock)).toEqual([{ TransactWriteCommand: { TransactItems } }]);
  });
});

describe('storeApiKey()', () => {
  it('stores the hash of a key for a customer that exists, and its row in the customer’s list', async () => {
    mock.on(TransactWriteCommand).resolves({});

    expect(await storeApiKey(table)(apiKey)).toBe(true);

    const TransactItems = [
      {
        ConditionCheck: {
          TableName: tableName,
          Key: { pk: `CUS#${customerId}`, sk: 'CUSTOMER' },
          ConditionExpression: 'attribute_exists(pk)',
        },
      },
      { Put: { TableName: tableName, Item: { pk: `KEY#${apiKey.hash}`, sk: 'KEY', ...apiKeyFacts } } },
      { Put: { TableName: tableName, Item: { pk: `CUS#${customerId}`, sk: 'KEY#aky_1', ...apiKeyFacts } } },
    ];
    expect(commandsOf(mock)).toEqual([{ TransactWriteCommand: { TransactItems } }]);
  });

  it('answers false when there is no such customer', async () => {
    mock.on(TransactWriteCommand).rejects(transactionCanceled('ConditionalCheckFailed', 'None', 'None'));

    expect(await storeApiKey(table)(apiKey)).toBe(false);
  });

  it('throws every other failure', async () => {
    await expect(storeApiKey(table)(apiKey)).rejects.toBe(unexpected);
  });
});

describe('findApiKey()', () => {
  it('reads strongly by the hash alone', async () => {
    mock.on(GetCommand).resolves({ Item: { pk: `KEY#${apiKey.hash}`, sk: 'KEY', ...apiKeyFacts } });

    expect(await findApiKey(table)(apiKey.hash)).toEqual(apiKey);

    expect(commandsOf(mock)).toEqual([
      {
        GetCommand: {
          TableName: tableName,
          Key: { pk: `KEY#${apiKey.hash}`, sk: 'KEY' },
          ConsistentRead: true,
        },
      },
    ]);
  });

  it('shows when a key was revoked', async () => {
    mock.on(GetCommand).resolves({ Item: { ...apiKeyFacts, revoked_at: at + 1 } });

    expect(await findApiKey(table)(apiKey.hash)).toEqual({ ...apiKey, revokedAt: at + 1 });
  });

  it('answers null for an unknown hash', async () => {
    mock.on(GetCommand).resolves({});

    expect(await findApiKey(table)(apiKey.hash)).toBeNull();
  });
});

describe('readCursorSecret()', () => {
  const Key = { pk: 'CURSOR_SECRET', sk: 'CURSOR_SECRET' };
  const read = { GetCommand: { TableName: tableName, Key, ConsistentRead: true } };
  const stored = Buffer.alloc(32, 1).toString('base64');
  const made = Buffer.alloc(32, 2);
  const readSecret = () => readCursorSecret(table, (size) => new Uint8Array(size).fill(2))();

  it('reads the secret that is stored', async () => {
    mock.on(GetCommand).resolves({ Item: { ...Key, secret: stored } });

    expect(await readSecret()).toEqual(Buffer.alloc(32, 1));

    expect(commandsOf(mock)).toEqual([read]);
  });

  it('makes it when there is none', async () => {
    mock.on(GetCommand).resolves({});
    mock.on(PutCommand).resolves({});

    expect(await readSecret()).toEqual(made);

    expect(commandsOf(mock)).toEqual([
      read,
      {
        PutCommand: {
          TableName: tableName,
          Item: { ...Key, secret: made.toString('base64') },
          ConditionExpression: 'attribute_not_exists(pk)',
          ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        },
      },
    ]);
  });

  it('takes the one that another function made in between', async () => {
    mock.on(GetCommand).resolves({});
    mock.on(PutCommand).rejects(conditionFailed({ ...Key, secret: stored }));

    expect(await readSecret()).toEqual(Buffer.alloc(32, 1));
  });
});
