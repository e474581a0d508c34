import { describe, expect, it } from 'vitest';
import { capacityOf, queueCapacityOf, withCapacity } from '../../../tools/bench/meter/capacity.ts';

const text = (bytes: number) => ({ S: 'x'.repeat(bytes) });
const refused = (Item?: object) => ({
  __type: 'com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException',
  ...(Item === undefined ? {} : { Item }),
});

describe('capacityOf()', () => {
  it('separates the units of the table from those of each index', () => {
    const answer = {
      ConsumedCapacity: {
        CapacityUnits: 4,
        Table: { CapacityUnits: 2 },
        GlobalSecondaryIndexes: { listed: { CapacityUnits: 2 }, waiting: { CapacityUnits: 0 } },
      },
    };

    expect(capacityOf('PutItem', {}, 200, answer)).toEqual({
      writeUnits: { table: 2, listed: 2 },
      readUnits: {},
      isRefused: false,
    });
    expect(capacityOf('Query', {}, 200, answer).readUnits).toEqual({ table: 2, listed: 2 });
  });

  it('adds up the units of a batch', () => {
    const part = { CapacityUnits: 1.5, Table: { CapacityUnits: 1.5 } };

    expect(capacityOf('BatchGetItem', {}, 200, { ConsumedCapacity: [part, part] }).readUnits).toEqual({
      table: 3,
    });
  });

  it('bills each statement of a group, also when all are refused', () => {
    const refusal = { Error: { Code: 'ConditionalCheckFailed' } };
    const group = (...Responses: readonly object[]) => ({
      Responses,
      ConsumedCapacity: [{ CapacityUnits: 3, Table: { CapacityUnits: 3 } }],
    });
    const billed = { writeUnits: { table: 3 }, readUnits: {} };

    expect(capacityOf('BatchExecuteStatement', {}, 200, group({}, {}, refusal))).toEqual({
      ...billed,
      isRefused: false,
    });
    expect(capacityOf('BatchExecuteStatement', {}, 200, group(refusal, refusal))).toEqual({
      ...billed,
      isRefused: true,
    });
  });

  it.each([
    ['no stored item', {}, undefined, 1],
    ['a stored item of 1 KB', {}, { a: text(1023) }, 1],
    ['a stored item of over 1 KB', {}, { a: text(1024) }, 2],
    ['a new item of 2 KB', { Item: { a: text(2047) } }, { a: text(10) }, 2],
  ])('bills a refused write by the larger item: %s', (_, input, stored, units) => {
    expect(capacityOf('PutItem', input, 400, refused(stored))).toEqual({
      writeUnits: { table: units },
      readUnits: {},
      isRefused: true,
    });
  });

  it('bills a cancelled transaction twice the units of its writes', () => {
    const TransactItems = [{ Put: { Item: { a: text(1500) } } }, { Update: { Key: { a: text(1) } } }];
    const answer = { __type: 'x#TransactionCanceledException' };

    expect(capacityOf('TransactWriteItems', { TransactItems }, 400, answer).writeUnits).toEqual({ table: 6 });
  });

  it('bills nothing for a call that failed otherwise', () => {
    const answer = { __type: 'x#ProvisionedThroughputExceededException' };

    expect(capacityOf('PutItem', {}, 400, answer)).toEqual({
      writeUnits: {},
      readUnits: {},
      isRefused: false,
    });
  });
});

describe('withCapacity()', () => {
  it('asks for the capacity of each index, and for the item that a refused write found', () => {
    expect(withCapacity('UpdateItem', { Key: 1 })).toEqual({
      Key: 1,
      ReturnConsumedCapacity: 'INDEXES',
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    });
    expect(withCapacity('Query', {})).toEqual({ ReturnConsumedCapacity: 'INDEXES' });
  });
});

const QueueUrl = 'https://sqs.us-east-1.amazonaws.com/123456789012/delivery';
const kilobytes = (count: number) => 'x'.repeat(count * 1024);

it.each([
  ['one message', { MessageBody: 'x' }, 1],
  ['65 KB', { MessageBody: kilobytes(65) }, 2],
  ['ten small messages', { Entries: Array(10).fill({ MessageBody: 'x' }) }, 1],
  ['two of 64 KB', { Entries: Array(2).fill({ MessageBody: kilobytes(64) }) }, 2],
])('queueCapacityOf() counts a request for each 64 KB: %s', (_, input, requests) => {
  expect(queueCapacityOf({ QueueUrl, ...input })).toEqual({ queue: 'delivery', requests });
});
