import { GetCommand, PutCommand, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { beforeEach, describe, expect, it } from 'vitest';
import { readCursorSecret } from '#shared/aws/table/cursor-secret.ts';
import { findApiKey, isCustomerKnown, storeApiKey, storeCustomer } from '#shared/aws/table/customers.ts';
import {
  commandsOf,
  conditionFailed,
  mockTable,
  tableName,
  transactionCanceled,
  unexpected,
} from '../../support/aws/aws-mocks.ts';
import { customerId, startOfTest } from '../../support/values/builders.ts';

let { table, mock } = mockTable();
beforeEach(() => {
  ({ table, mock } = mockTable());
});

const apiKey = {
  id: 'aky_1',
  customerId,
  hash: 'a'.repeat(64),
  prefix: 'key_AbCdEf',
  createdAt: startOfTest,
  revokedAt: null,
};
const apiKeyFacts = {
  id: 'aky_1',
  customer_id: customerId,
  hash: apiKey.hash,
  prefix: 'key_AbCdEf',
  created_at: startOfTest,
};

describe('isCustomerKnown()', () => {
  const Key = (id: string) => ({ pk: `CUS#${id}`, sk: 'CUSTOMER' });
  const read = (id: string, ConsistentRead: boolean) => ({
    GetCommand: { TableName: tableName, Key: Key(id), ConsistentRead, ProjectionExpression: 'pk' },
  });

  let time = startOfTest;
  let sinceStart = 0;
  const cache = { timeToLive: 60_000, now: () => time, monotonic: () => sinceStart };

  it('reads an existing customer again after the time to live, so a deleted one is unknown from then on', async () => {
    mock
      .on(GetCommand)
      .resolvesOnce({ Item: { pk: 'CUS#cus_1' } })
      .resolves({});
    const isKnown = isCustomerKnown(table, { ...cache, maxEntries: 10 });
    const known = [await isKnown('cus_1')];

    for (const passed of [59_999, 1]) {
      time += passed;
      known.push(await isKnown('cus_1'));
    }

    expect(known).toEqual([true, true, false]);
  });

  it.each([
    ['the clock was set back', -1, 1],
    ['the clock was set back and time passed', 30_000, 60_000],
    ['the process was frozen', 60_000, 0],
  ])('reads an existing customer again after %s', async (_case, byClock, sinceThen) => {
    mock
      .on(GetCommand)
      .resolvesOnce({ Item: { pk: 'CUS#cus_1' } })
      .resolves({});
    const isKnown = isCustomerKnown(table, { ...cache, maxEntries: 10 });
    await isKnown('cus_1');

    time += byClock;
    sinceStart += sinceThen;

    expect(await isKnown('cus_1')).toBe(false);
  });

  it('reads an existing customer once, without a strong read', async () => {
    mock.on(GetCommand).resolves({ Item: { pk: 'CUS#cus_1' } });
    const isKnown = isCustomerKnown(table, { ...cache, maxEntries: 10 });

    expect([await isKnown('cus_1'), await isKnown('cus_1')]).toEqual([true, true]);

    expect(commandsOf(mock)).toEqual([read('cus_1', false)]);
  });

  it('reports a customer as missing only after a strong read, and reads again the next time', async () => {
    mock.on(GetCommand).resolves({});
    mock
      .on(GetCommand, { Key: Key('cus_late'), ConsistentRead: true })
      .resolves({ Item: { pk: 'CUS#cus_late' } });
    const isKnown = isCustomerKnown(table, { ...cache, maxEntries: 10 });

    expect(await isKnown('cus_late')).toBe(true);
    expect([await isKnown('cus_no'), await isKnown('cus_no')]).toEqual([false, false]);

    const [no, strongly] = [read('cus_no', false), read('cus_no', true)];
    const late = [read('cus_late', false), read('cus_late', true)];
    expect(commandsOf(mock)).toEqual([...late, no, strongly, no, strongly]);
  });

  it('remembers as many customers as its limit', async () => {
    mock.on(GetCommand).resolves({ Item: { pk: 'found' } });
    const isKnown = isCustomerKnown(table, { ...cache, maxEntries: 2 });

    for (const id of ['cus_1', 'cus_2', 'cus_3', 'cus_2', 'cus_3', 'cus_1']) await isKnown(id);

    const asked = mock.commandCalls(GetCommand).map(({ args }) => args[0].input.Key?.pk);
    expect(asked).toEqual(['CUS#cus_1', 'CUS#cus_2', 'CUS#cus_3', 'CUS#cus_1']);
  });
});

describe('storeCustomer()', () => {
  it('stores the customer and its row in the list of all customers in one transaction', async () => {
    mock.on(TransactWriteCommand).resolves({});

    await storeCustomer(table)({ id: customerId, name: 'Acme', createdAt: startOfTest });

    const facts = { id: customerId, name: 'Acme', created_at: startOfTest };
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

  it('returns false when the customer does not exist', async () => {
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

  it('returns when a key was revoked', async () => {
    mock.on(GetCommand).resolves({ Item: { ...apiKeyFacts, revoked_at: startOfTest + 1 } });

    expect(await findApiKey(table)(apiKey.hash)).toEqual({ ...apiKey, revokedAt: startOfTest + 1 });
  });

  it('returns null for an unknown hash', async () => {
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

  it('returns the stored secret', async () => {
    mock.on(GetCommand).resolves({ Item: { ...Key, secret: stored } });

    expect(await readSecret()).toEqual(Buffer.alloc(32, 1));

    expect(commandsOf(mock)).toEqual([read]);
  });

  it('makes and stores the secret when none is stored', async () => {
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

  it('returns the secret that another function stored in between', async () => {
    mock.on(GetCommand).resolves({});
    mock.on(PutCommand).rejects(conditionFailed({ ...Key, secret: stored }));

    expect(await readSecret()).toEqual(Buffer.alloc(32, 1));
  });
});
