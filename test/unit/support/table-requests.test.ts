import { describe, expect, it } from 'vitest';
import { accessRequests } from '../../support/aws/table-requests.ts';

const key = (pk: string) => ({ pk: { S: pk }, sk: { S: 'x' } });
const asked = (action: string, resource: string, ...keys: readonly string[]) => ({
  action: `dynamodb:${action}`,
  resource,
  context: { 'dynamodb:LeadingKeys': keys },
});

describe('the requests that IAM sees for a call of DynamoDB', () => {
  it.each([
    ['GetItem', { TableName: 't', Key: key('A') }],
    ['DeleteItem', { TableName: 't', Key: key('A') }],
    ['PutItem', { TableName: 't', Item: { ...key('A'), name: { S: 'n' } } }],
  ])('%s is a request for its key', (action, input) => {
    expect(accessRequests(action, input)).toEqual([asked(action, 't', 'A')]);
  });

  it('an update is a request for its key and every attribute that it names', () => {
    const input = {
      TableName: 't',
      Key: key('A'),
      UpdateExpression: 'SET #s = :s, log = list_append(if_not_exists(log, :empty), :entry) REMOVE token',
      ConditionExpression: 'attribute_exists(pk) AND (retry_at <= :at OR NOT size(log) IN (:a, :b))',
      ExpressionAttributeNames: { '#s': 'status' },
    };

    expect(accessRequests('UpdateItem', input)).toEqual([
      {
        action: 'dynamodb:UpdateItem',
        resource: 't',
        context: {
          'dynamodb:LeadingKeys': ['A'],
          'dynamodb:Attributes': ['log', 'pk', 'retry_at', 'sk', 'status', 'token'],
        },
      },
    ]);
  });

  it('a query is a request for its partition, of the table or of an index', () => {
    const query = {
      TableName: 't',
      KeyConditionExpression: 'pk = :pk AND begins_with(sk, :prefix)',
      ExpressionAttributeValues: { ':prefix': { S: 'P' }, ':pk': { S: 'A' } },
    };

    expect(accessRequests('Query', query)).toEqual([asked('Query', 't', 'A')]);
    expect(accessRequests('Query', { ...query, IndexName: 'i' })).toEqual([asked('Query', 't/index/i', 'A')]);
  });

  it('a batch is one request for all its keys', () => {
    expect(accessRequests('BatchGetItem', { RequestItems: { t: { Keys: [key('A'), key('B')] } } })).toEqual([
      asked('BatchGetItem', 't', 'A', 'B'),
    ]);
    const writes = [{ PutRequest: { Item: key('A') } }, { DeleteRequest: { Key: key('B') } }];
    expect(accessRequests('BatchWriteItem', { RequestItems: { t: writes } })).toEqual([
      asked('BatchWriteItem', 't', 'A', 'B'),
    ]);
  });

  it('a transaction is a request for each kind of write in it, with its keys', () => {
    const TransactItems = [
      { Update: { TableName: 't', Key: key('A') } },
      { Put: { TableName: 't', Item: key('A') } },
      { Put: { TableName: 't', Item: key('B') } },
      { ConditionCheck: { TableName: 't', Key: key('C') } },
    ];

    expect(accessRequests('TransactWriteItems', { TransactItems })).toEqual([
      {
        action: 'dynamodb:UpdateItem',
        resource: 't',
        context: { 'dynamodb:LeadingKeys': ['A'], 'dynamodb:Attributes': ['pk', 'sk'] },
      },
      asked('PutItem', 't', 'A', 'B'),
      asked('ConditionCheckItem', 't', 'C'),
    ]);
  });

  it('a call of an unknown kind is refused', () => {
    expect(() => accessRequests('Scan', { TableName: 't' })).toThrow('Cannot tell what Scan needs');
  });
});
