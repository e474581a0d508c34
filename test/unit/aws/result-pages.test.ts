import { BatchGetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { readListed, readSorted } from '#shared/aws/table/results/result-pages.ts';
import { reads } from '#shared/aws/table/stored-row.ts';
import { tableName, useMockTable } from '../../support/aws/aws-mocks.ts';

const { table, mock } = useMockTable();

/** Accepts every row that is not marked as bad. */
const asItIs = reads('Thing', z.looseObject({ pk: z.string(), bad: z.never().optional() }), (row) => row);

describe('readSorted()', () => {
  const list = { pk: 'P', prefix: 'ITEM#' };
  const rowOf = (number: number) => ({ pk: 'P', sk: `ITEM#${number}` });

  it('ends before rows of another kind, which sort after the list', async () => {
    const other = { pk: 'P', sk: 'CREATOR' };
    mock.on(QueryCommand).resolves({ Items: [rowOf(9), rowOf(8), other], LastEvaluatedKey: other });

    expect(await readSorted(table, list, { after: null, limit: 2 }, asItIs)).toEqual({
      rows: [9, 8].map(rowOf),
      next: null,
    });
  });

  it('continues where DynamoDB stopped early because of the size of the rows', async () => {
    mock.on(QueryCommand).resolves({ Items: [rowOf(9)], LastEvaluatedKey: rowOf(9) });

    expect(await readSorted(table, list, { after: null, limit: 2 }, asItIs)).toEqual({
      rows: [rowOf(9)],
      next: '9',
    });
  });
});

describe('readListed()', () => {
  const keyOf = (number: number) => ({ pk: `P${number}`, sk: 'RUN' });
  const indexRowOf = (number: number) => ({ ...keyOf(number), listed_pk: 'L', listed_sk: String(number) });
  const rowOf = (number: number, more: object = {}) => ({ ...indexRowOf(number), ...more });

  it('leaves out rows that moved or were deleted since the index saw them, and continues after them', async () => {
    mock.on(QueryCommand).resolves({ Items: [9, 8, 7].map(indexRowOf) });
    mock.on(BatchGetCommand).resolves({ Responses: { [tableName]: [rowOf(9, { listed_sk: '3' })] } });

    const page = await readListed(table, 'L', { after: null, limit: 2 }, asItIs);

    expect(page).toEqual({ rows: [], next: '8' });
  });

  it('reads again, strongly consistent, only what an old copy does not show where the index does', async () => {
    mock.on(QueryCommand).resolves({ Items: [9, 8].map(indexRowOf) });
    mock
      .on(BatchGetCommand)
      .resolvesOnce({ Responses: { [tableName]: [rowOf(9, { listed_sk: '3' }), rowOf(8)] } })
      .resolvesOnce({ Responses: { [tableName]: [rowOf(9)] } });

    const page = await readListed(table, 'L', { after: null, limit: 2 }, asItIs);

    expect(page).toEqual({ rows: [9, 8].map((number) => rowOf(number)), next: null });
    const asked = mock.commandCalls(BatchGetCommand).map(({ args: [{ input }] }) => input.RequestItems?.[tableName]);
    expect(asked).toEqual([
      { Keys: [9, 8].map(keyOf), ConsistentRead: false },
      { Keys: [keyOf(9)], ConsistentRead: true },
    ]);
  });
});

describe('readListed() with large rows', () => {
  const positions = Array.from({ length: 101 }, (_, index) => 999 - index);
  const indexRows = positions.map((number) => ({
    pk: `P${number}`,
    sk: 'RUN',
    listed_pk: 'L',
    listed_sk: String(number),
  }));

  /** Reads a page of a hundred rows of `bytes` bytes each, in characters of three bytes. */
  async function readPage(bytes: number, parts: readonly (typeof indexRows)[] = [indexRows]) {
    const left = [...parts];
    mock.on(QueryCommand).callsFake(() => {
      const Items = left.shift();
      return { Items, LastEvaluatedKey: Items?.at(-1) };
    });
    mock.on(BatchGetCommand).callsFake(({ RequestItems }) => {
      const keys: readonly { readonly pk: string }[] = RequestItems[tableName].Keys;
      const found = indexRows.filter(({ pk }) => keys.some((key) => key.pk === pk));
      return { Responses: { [tableName]: found.map((row) => ({ ...row, text: '…'.repeat(bytes / 3) })) } };
    });
    const page = await readListed(table, 'L', { after: null, limit: 100 }, asItIs);
    const asked = mock
      .commandCalls(BatchGetCommand)
      .map(({ args: [{ input }] }) => input.RequestItems?.[tableName]?.Keys?.length ?? 0);
    return { page, asked };
  }

  it.each([
    { bytes: 350_000, answered: 8, asked: 10 },
    { bytes: 200_000, answered: 14, asked: 20 },
    { bytes: 31_000, answered: 96, asked: 100 },
    { bytes: 2_000, answered: 100, asked: 100 },
  ])('reads $asked rows of $bytes bytes to answer $answered', async ({ bytes, answered, asked: most }) => {
    const { page, asked } = await readPage(bytes);

    expect(page.rows).toHaveLength(answered);
    expect(page.next).toBe(String(positions[answered - 1]));
    expect(asked.reduce((sum, count) => sum + count, 0)).toBe(most);
    expect(Math.max(...asked)).toBe(10);
  });

  it.each([6, 8])('ends a page at 3 MB also when the index returns its keys in parts of %i', async (size) => {
    const parts = [indexRows.slice(0, size), indexRows.slice(size, 2 * size)];
    const { page } = await readPage(350_000, parts);

    expect(page.rows).toHaveLength(8);
    expect(page.next).toBe(String(positions[7]));
  });
});
