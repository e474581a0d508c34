import type { QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import { isCreatorKnown } from '#shared/aws/table/results/videos.ts';
import type { TableClient } from '#shared/aws/table-client.ts';
import { servingUnexpired } from '#shared/aws/unexpired-rows.ts';
import { useMockTable } from '../../support/aws/aws-mocks.ts';
import { unexpected } from '../../support/operations/deps.ts';

const now = 1_000_000;
const seconds = now / 1000;

const creator = { platform: 'tiktok', handle: 'someone' };

const { client: bare } = useMockTable().table;

type Row = { readonly sk: string; readonly expires_at?: number };

/** A client over one partition, whose queries read in order and stop at their limit. */
function openPartition(rows: readonly Row[]) {
  const queries: QueryCommandInput[] = [];
  const client = servingUnexpired(
    {
      ...bare,
      query: async (input) => {
        queries.push(input);
        const after = rows.findIndex(({ sk }) => sk === input.ExclusiveStartKey?.sk) + 1;
        const Items = rows.slice(after, after + (input.Limit ?? rows.length));
        const last = Items.at(-1);
        const isMore = last !== undefined && after + Items.length < rows.length;
        return { Items: [...Items], ...(isMore ? { LastEvaluatedKey: { sk: last.sk } } : {}) };
      },
    },
    () => now,
  );
  return { client, queries };
}

const live = (number: number): Row => ({ sk: `row-${String(number).padStart(3, '0')}` });
const expired = (number: number): Row => ({ ...live(number), expires_at: seconds });
const names = (rows: readonly Readonly<Record<string, unknown>>[] = []) => rows.map(({ sk }) => sk);

describe('servingUnexpired()', () => {
  it.each([
    { expires_at: undefined, isFound: true },
    { expires_at: seconds + 1, isFound: true },
    { expires_at: seconds, isFound: false },
    { expires_at: 'soon', isFound: true },
  ])('finds a row with the time $expires_at at second 1000: $isFound', async ({ expires_at, isFound }) => {
    const Item = { sk: 'row', ...(expires_at === undefined ? {} : { expires_at }) };
    const get: TableClient['get'] = async () => ({ Item });
    const batchGet: TableClient['batchGet'] = async () => ({ Responses: { table: [Item] } });
    const client = servingUnexpired({ ...bare, get, batchGet }, () => now);

    const one = await client.get({ TableName: 'table', Key: {} });
    const many = await client.batchGet({ RequestItems: {} });

    expect(one).toEqual(isFound ? { Item } : {});
    expect(many).toEqual({ Responses: { table: isFound ? [Item] : [] } });
  });

  it('reads on past expired rows until the page is full', async () => {
    const { client, queries } = openPartition([live(1), expired(2), expired(3), live(4), live(5)]);

    const page = await client.query({ TableName: 'table', Limit: 2 });

    expect(names(page.Items)).toEqual(['row-001', 'row-004']);
    expect(page.LastEvaluatedKey).toEqual({ sk: 'row-004' });
    expect(queries.map(({ Limit }) => Limit)).toEqual([2, 1, 1]);
  });

  it('reads at most ten times for a page, which then continues where it stopped', async () => {
    const rows = Array.from({ length: 25 }, (_, number) => expired(number));
    const { client, queries } = openPartition([...rows, live(25)]);
    const page = { TableName: 'table', Limit: 2 };

    const first = await client.query(page);
    const second = await client.query({ ...page, ExclusiveStartKey: first.LastEvaluatedKey });

    expect(first).toEqual({ Items: [], LastEvaluatedKey: { sk: 'row-019' } });
    expect(names(second.Items)).toEqual(['row-025']);
    expect(queries).toHaveLength(10 + 3);
  });

  it('reads once without a limit, also when it finds nothing before the end of a response', async () => {
    const inputs: QueryCommandInput[] = [];
    const query: TableClient['query'] = async (input) => {
      inputs.push(input);
      return { Items: [expired(1)], LastEvaluatedKey: expired(1) };
    };
    const client = servingUnexpired({ ...bare, query }, () => now);

    const page = await client.query({ TableName: 'table' });

    expect(page).toEqual({ Items: [], LastEvaluatedKey: expired(1) });
    expect(inputs).toEqual([{ TableName: 'table' }]);
  });

  it('shows that a creator is known behind any number of expired rows', async () => {
    const gone = Array.from({ length: 300 }, (_, number) => expired(number));
    const isKnown = (rows: readonly Row[]) =>
      isCreatorKnown({ ...openPartition(rows), name: 'table', report: unexpected('report') }, 'cus_1', creator);

    expect(await isKnown([...gone, live(300)])).toBe(true);
    expect(await isKnown(gone)).toBe(false);
  });

  it('reads once with a filter, which decides how many of the rows read are found', async () => {
    const { client, queries } = openPartition([expired(1), live(2), live(3)]);

    const filtered = { TableName: 'table', Limit: 2, FilterExpression: 'attribute_exists(pk)' };
    const page = await client.query(filtered);

    expect(page).toEqual({ Items: [live(2)], LastEvaluatedKey: { sk: 'row-002' } });
    expect(queries).toHaveLength(1);
  });

  it('reads once when no row has expired, also without a limit', async () => {
    const { client, queries } = openPartition([live(1), live(2), expired(3)]);

    await client.query({ TableName: 'table', Limit: 2 });
    const all = await client.query({ TableName: 'table' });

    expect(names(all.Items)).toEqual(['row-001', 'row-002']);
    expect(queries).toHaveLength(2);
  });

  it('finds no expired row by a get that names its attributes', async () => {
    const row: Readonly<Record<string, unknown>> = { sk: 'row', name: 'Customer', expires_at: seconds };
    const get: TableClient['get'] = async ({ ProjectionExpression = '' }) => ({
      Item: Object.fromEntries(ProjectionExpression.split(', ').map((name) => [name, row[name]])),
    });
    const client = servingUnexpired({ ...bare, get }, () => now);

    const found = await client.get({ TableName: 'table', Key: {}, ProjectionExpression: 'sk, name' });

    expect(found).toEqual({});
  });

  it('asks for the time of a row beside the named attributes, except in an index, which has keys only', async () => {
    const { client, queries } = openPartition([]);

    await client.query({ TableName: 'table', ProjectionExpression: 'sk, last_at' });
    await client.query({ TableName: 'table', ProjectionExpression: 'sk', IndexName: 'listed' });

    expect(queries.map(({ ProjectionExpression }) => ProjectionExpression)).toEqual(['sk, last_at, expires_at', 'sk']);
  });
});
