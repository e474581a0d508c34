import { BatchGetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { beforeEach, describe, expect, it } from 'vitest';
import { readListed, readSorted } from '../../../shared/aws/table/result-pages.ts';
import { commandsOf, mockTable, tableName } from '../../support/aws-mocks.ts';
import { unexpected } from '../../support/memory-deps.ts';

let { table, mock } = mockTable();
beforeEach(() => {
  ({ table, mock } = mockTable());
});

const backoff = { wait: unexpected('wait'), random: unexpected('random') };

describe('readSorted()', () => {
  const list = { pk: 'P', prefix: 'ITEM#' };
  const rowOf = (number: number) => ({ pk: 'P', sk: `ITEM#${number}` });
  const query = {
    TableName: tableName,
    KeyConditionExpression: 'pk = :pk AND begins_with(sk, :prefix)',
    ExpressionAttributeValues: { ':pk': 'P', ':prefix': 'ITEM#' },
    ScanIndexForward: false,
    ConsistentRead: true,
    Limit: 3,
  };

  it('asks for one row more than the page takes, and names where the next page begins', async () => {
    mock.on(QueryCommand).resolves({ Items: [9, 8, 7].map(rowOf), LastEvaluatedKey: rowOf(7) });

    const page = await readSorted(table, list, { after: null, limit: 2 });

    expect(page).toEqual({ rows: [9, 8].map(rowOf), next: '8' });
    expect(commandsOf(mock)).toEqual([{ QueryCommand: query }]);
  });

  it('goes on behind a position', async () => {
    mock.on(QueryCommand).resolves({ Items: [7].map(rowOf) });

    expect(await readSorted(table, list, { after: '8', limit: 2 })).toEqual({ rows: [rowOf(7)], next: null });

    expect(commandsOf(mock)).toEqual([{ QueryCommand: { ...query, ExclusiveStartKey: rowOf(8) } }]);
  });

  it('knows that a full page is the last', async () => {
    mock.on(QueryCommand).resolves({ Items: [9, 8].map(rowOf) });

    expect(await readSorted(table, list, { after: null, limit: 2 })).toMatchObject({ next: null });
  });

  it('goes on where the table stopped early because of the size of the rows', async () => {
    mock.on(QueryCommand).resolves({ Items: [rowOf(9)], LastEvaluatedKey: rowOf(9) });

    expect(await readSorted(table, list, { after: null, limit: 2 })).toEqual({ rows: [rowOf(9)], next: '9' });
  });
});

describe('readListed()', () => {
  const keyOf = (number: number) => ({ pk: `P${number}`, sk: 'RUN' });
  const indexRowOf = (number: number) => ({ ...keyOf(number), listed_pk: 'L', listed_sk: String(number) });
  const rowOf = (number: number, more: object = {}) => ({ ...indexRowOf(number), ...more });
  const query = {
    TableName: tableName,
    IndexName: 'listed',
    KeyConditionExpression: 'listed_pk = :list',
    ExpressionAttributeValues: { ':list': 'L' },
    ScanIndexForward: false,
    Limit: 3,
  };
  const get = (of: readonly number[]) => ({
    BatchGetCommand: { RequestItems: { [tableName]: { Keys: of.map(keyOf), ConsistentRead: true } } },
  });

  it('is one query of the index and one read of the rows of the page', async () => {
    mock.on(QueryCommand).resolves({ Items: [9, 8, 7].map(indexRowOf) });
    mock.on(BatchGetCommand).resolves({ Responses: { [tableName]: [8, 9].map((number) => rowOf(number)) } });

    const page = await readListed(table, backoff, 'L', { after: null, limit: 2 });

    expect(page).toEqual({ rows: [rowOf(9), rowOf(8)], next: '8' });
    expect(commandsOf(mock)).toEqual([{ QueryCommand: query }, get([9, 8])]);
  });

  it('goes on behind a position', async () => {
    mock.on(QueryCommand).resolves({ Items: [indexRowOf(7)] });
    mock.on(BatchGetCommand).resolves({ Responses: { [tableName]: [rowOf(7)] } });

    const page = await readListed(table, backoff, 'L', { after: '8', limit: 2 });

    expect(page).toEqual({ rows: [rowOf(7)], next: null });
    expect(commandsOf(mock)).toEqual([
      {
        QueryCommand: {
          ...query,
          KeyConditionExpression: 'listed_pk = :list AND listed_sk < :after',
          ExpressionAttributeValues: { ':list': 'L', ':after': '8' },
        },
      },
      get([7]),
    ]);
  });

  it('leaves out rows that moved or went since the index saw them, and goes on behind them', async () => {
    mock.on(QueryCommand).resolves({ Items: [9, 8, 7].map(indexRowOf) });
    mock.on(BatchGetCommand).resolves({ Responses: { [tableName]: [rowOf(9, { listed_sk: '3' })] } });

    const page = await readListed(table, backoff, 'L', { after: null, limit: 2 });

    expect(page).toEqual({ rows: [], next: '8' });
  });

  it('reads no rows for an empty list', async () => {
    mock.on(QueryCommand).resolves({ Items: [] });

    const page = await readListed(table, backoff, 'L', { after: null, limit: 2 });

    expect(page).toEqual({ rows: [], next: null });
    expect(commandsOf(mock)).toEqual([{ QueryCommand: query }]);
  });

  it.each([
    { bytes: 1_400_000, fitting: 2, next: '8' },
    { bytes: 2_000_000, fitting: 1, next: '9' },
    { bytes: 4_000_000, fitting: 1, next: '9' },
  ])('ends a page of rows of $bytes bytes after $fitting', async ({ bytes, fitting, next }) => {
    const rows = [9, 8, 7].map((number) => rowOf(number, { settled: 'x'.repeat(bytes) }));
    mock.on(QueryCommand).resolves({ Items: [9, 8, 7].map(indexRowOf) });
    mock.on(BatchGetCommand).resolves({ Responses: { [tableName]: rows } });

    const page = await readListed(table, backoff, 'L', { after: null, limit: 3 });

    expect(page.rows).toHaveLength(fitting);
    expect(page.next).toBe(next);
  });
});
