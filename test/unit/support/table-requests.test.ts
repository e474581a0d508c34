import { describe, expect, it } from 'vitest';
import { accessRequests } from '../../support/aws/table-requests.ts';

const key = (pk: string) => ({ pk: { S: pk }, sk: { S: 'x' } });
const asked = (action: string, resource: string, ...keys: readonly string[]) => ({
  action: `dynamodb:${action}`,
  resource,
  context: { 'dynamodb:LeadingKeys': keys },
});

const query = {
  TableName: 't',
  KeyConditionExpression: 'pk = :pk AND begins_with(sk, :prefix)',
  ExpressionAttributeValues: { ':prefix': { S: 'P' }, ':pk': { S: 'A' } },
};
const update = {
  TableName: 't',
  Key: key('A'),
  UpdateExpression: 'SET #s = :s, log = list_append(if_not_exists(log, :empty), :entry) REMOVE token',
  ConditionExpression: 'attribute_exists(pk) AND (retry_at <= :at OR NOT size(log) IN (:a, :b))',
  ExpressionAttributeNames: { '#s': 'status' },
};
const writes = [{ PutRequest: { Item: key('A') } }, { DeleteRequest: { Key: key('B') } }];
const TransactItems = [
  { Update: { TableName: 't', Key: key('A') } },
  { Put: { TableName: 't', Item: key('A') } },
  { Put: { TableName: 't', Item: key('B') } },
  { ConditionCheck: { TableName: 't', Key: key('C') } },
];
const insertion = {
  Statement: `INSERT INTO "t" VALUE {'pk': ?, 'sk': ?}`,
  Parameters: Object.values(key('A')),
};
const assignment = {
  Statement: 'UPDATE "t" SET "log" = ?, "at" = ? REMOVE lease WHERE pk = ? AND sk = ? AND due <= ?',
  Parameters: [{ L: [] }, { N: '1' }, ...Object.values(key('B')), { N: '2' }],
};
const updating = (...attributes: readonly string[]) => ({
  action: 'dynamodb:UpdateItem',
  resource: 't',
  context: { 'dynamodb:LeadingKeys': ['A'], 'dynamodb:Attributes': attributes },
});

describe('the requests that IAM sees for a call of DynamoDB', () => {
  it.each<readonly [string, object, readonly object[]]>([
    ['GetItem', { TableName: 't', Key: key('A') }, [asked('GetItem', 't', 'A')]],
    ['DeleteItem', { TableName: 't', Key: key('A') }, [asked('DeleteItem', 't', 'A')]],
    ['PutItem', { TableName: 't', Item: { ...key('A'), name: { S: 'n' } } }, [asked('PutItem', 't', 'A')]],
    ['UpdateItem', update, [updating('log', 'pk', 'retry_at', 'sk', 'status', 'token')]],
    ['Query', query, [asked('Query', 't', 'A')]],
    ['Query', { ...query, IndexName: 'i' }, [asked('Query', 't/index/i', 'A')]],
    ['BatchGetItem', { RequestItems: { t: { Keys: [key('A'), key('B')] } } }, [asked('BatchGetItem', 't', 'A', 'B')]],
    ['BatchExecuteStatement', { Statements: [insertion] }, [asked('PartiQLInsert', 't', 'A')]],
    ['BatchExecuteStatement', { Statements: [assignment] }, [asked('PartiQLUpdate', 't', 'B')]],
    ['BatchWriteItem', { RequestItems: { t: writes } }, [asked('BatchWriteItem', 't', 'A', 'B')]],
    [
      'TransactWriteItems',
      { TransactItems },
      [updating('pk', 'sk'), asked('PutItem', 't', 'A', 'B'), asked('ConditionCheckItem', 't', 'C')],
    ],
  ])('%s %j is a request for its keys and the attributes that an update names', (action, input, expected) => {
    expect(accessRequests(action, input)).toEqual(expected);
  });

  it('a call of an unknown kind is refused', () => {
    expect(() => accessRequests('Scan', { TableName: 't' })).toThrow('Cannot tell what Scan needs');
  });
});
