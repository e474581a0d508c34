import { describe, expect, it } from 'vitest';
import { ServiceError } from '#shared/aws/direct/service-error.ts';
import { tableOperations } from '#shared/aws/direct/table-operations.ts';
import { ConditionFailed, TransactionCancelled } from '#shared/aws/table-client.ts';

const TableName = 'table';

/** A table that answers every operation with the same value. */
function answering(answer: unknown) {
  const calls: unknown[] = [];
  const client = tableOperations(
    async (operation, input) => {
      calls.push({ [operation]: input });
      return answer;
    },
    () => {},
  );
  return { client, calls };
}

function failing(error: unknown) {
  return tableOperations(
    () => Promise.reject(error),
    () => {},
  );
}

const key = { pk: 'A', sk: 'B' };
const keyAttributes = { pk: { S: 'A' }, sk: { S: 'B' } };

describe('tableOperations()', () => {
  it('converts keys, items and values of expressions, and nothing else', async () => {
    const { client, calls } = answering({});

    await client.put({
      TableName,
      Item: { ...key, times: [1] },
      ConditionExpression: 'attribute_not_exists(pk)',
    });
    await client.update({
      TableName,
      Key: key,
      ExpressionAttributeValues: { ':gone': undefined, ':one': 1 },
    });
    await client.query({ TableName, ExclusiveStartKey: key, Limit: 2 });

    expect(calls).toEqual([
      {
        PutItem: {
          TableName,
          Item: { ...keyAttributes, times: { L: [{ N: '1' }] } },
          ConditionExpression: 'attribute_not_exists(pk)',
        },
      },
      { UpdateItem: { TableName, Key: keyAttributes, ExpressionAttributeValues: { ':one': { N: '1' } } } },
      { Query: { TableName, ExclusiveStartKey: keyAttributes, Limit: 2 } },
    ]);
  });

  it('converts every part of a transaction', async () => {
    const { client, calls } = answering({});

    await client.transactWrite({
      ClientRequestToken: 'token',
      TransactItems: [
        { ConditionCheck: { TableName, Key: key, ConditionExpression: 'attribute_exists(pk)' } },
        { Put: { TableName, Item: key } },
        {
          Update: {
            TableName,
            Key: key,
            UpdateExpression: 'ADD n :n',
            ExpressionAttributeValues: { ':n': 1 },
          },
        },
        { Delete: { TableName, Key: key } },
      ],
    });

    expect(calls).toEqual([
      {
        TransactWriteItems: {
          ClientRequestToken: 'token',
          TransactItems: [
            {
              ConditionCheck: { TableName, Key: keyAttributes, ConditionExpression: 'attribute_exists(pk)' },
            },
            { Put: { TableName, Item: keyAttributes } },
            {
              Update: {
                TableName,
                Key: keyAttributes,
                UpdateExpression: 'ADD n :n',
                ExpressionAttributeValues: { ':n': { N: '1' } },
              },
            },
            { Delete: { TableName, Key: keyAttributes } },
          ],
        },
      },
    ]);
  });

  it('returns the rows of a page and the key to go on from', async () => {
    const { client } = answering({ Items: [keyAttributes], LastEvaluatedKey: keyAttributes });

    expect(await client.query({ TableName })).toEqual({ Items: [key], LastEvaluatedKey: key });
    expect(await answering({ Items: [] }).client.query({ TableName })).toEqual({ Items: [] });
  });

  it('returns no item when there is none', async () => {
    expect(await answering({}).client.get({ TableName, Key: key })).toEqual({});
    expect(await answering({ Item: keyAttributes }).client.get({ TableName, Key: key })).toEqual({
      Item: key,
    });
  });

  it('reads and writes batches, and returns what a busy table left', async () => {
    const reading = answering({
      Responses: { table: [keyAttributes] },
      UnprocessedKeys: { table: { Keys: [keyAttributes], ConsistentRead: true } },
    });
    const put = { PutRequest: { Item: keyAttributes } };
    const remove = { DeleteRequest: { Key: keyAttributes } };
    const writing = answering({ UnprocessedItems: { table: [put, remove] } });

    const read = await reading.client.batchGet({
      RequestItems: { table: { Keys: [key], ConsistentRead: true } },
    });
    const written = await writing.client.batchWrite({
      RequestItems: { table: [{ PutRequest: { Item: key } }, { DeleteRequest: { Key: key } }] },
    });

    expect(reading.calls).toEqual([
      { BatchGetItem: { RequestItems: { table: { Keys: [keyAttributes], ConsistentRead: true } } } },
    ]);
    expect(read).toEqual({ Responses: { table: [key] }, UnprocessedKeys: { table: { Keys: [key] } } });
    expect(writing.calls).toEqual([{ BatchWriteItem: { RequestItems: { table: [put, remove] } } }]);
    expect(written).toEqual({
      UnprocessedItems: {
        table: [{ PutRequest: { Item: key } }, { DeleteRequest: { Key: key } }],
      },
    });
  });

  it.each([
    { what: 'the item at that time', details: { Item: keyAttributes }, item: key },
    { what: 'null when there was none', details: {}, item: null },
  ])('throws a failed condition with $what', async ({ details, item }) => {
    const error = new ServiceError('ConditionalCheckFailedException', 'The condition failed', 400, details);

    const thrown = await failing(error)
      .update({ TableName, Key: key })
      .catch((caught: unknown) => caught);

    expect(thrown).toBeInstanceOf(ConditionFailed);
    expect(thrown).toMatchObject({ name: 'ConditionalCheckFailedException', item, cause: error });
  });

  it('throws a cancelled transaction with the code of each write', async () => {
    const details = { CancellationReasons: [{ Code: 'None' }, { Code: 'ConditionalCheckFailed' }, {}] };
    const error = new ServiceError('TransactionCanceledException', 'Cancelled', 400, details);

    const thrown = await failing(error)
      .transactWrite({ TransactItems: [] })
      .catch((caught: unknown) => caught);

    expect(thrown).toBeInstanceOf(TransactionCancelled);
    expect(thrown).toMatchObject({ reasons: ['None', 'ConditionalCheckFailed', 'None'], cause: error });
  });

  it('throws every other error as it is', async () => {
    const error = new ServiceError('ThrottlingException', 'Slow down', 400, {});

    await expect(failing(error).get({ TableName, Key: key })).rejects.toBe(error);
  });
});
