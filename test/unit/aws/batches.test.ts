import { BatchGetCommand, BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import { beforeEach, describe, expect, it } from 'vitest';
import { getAll, getAllCheaply, putAll } from '#shared/aws/table/batches.ts';
import { commandsOf, tableName, useMockTable } from '../../support/aws/aws-mocks.ts';

const { table: mocked, mock } = useMockTable();
let waits: number[] = [];
beforeEach(() => {
  waits = [];
});

const table = { ...mocked, pause: async (most: number) => void waits.push(most) };
const keyOf = (number: number) => ({ pk: 'RUN#1', sk: `S${number}` }) as const;
const itemOf = (number: number) => ({ ...keyOf(number), number });
const numbers = (count: number) => Array.from({ length: count }, (_, number) => number);
const putsOf = (of: readonly number[]) => of.map((number) => ({ PutRequest: { Item: itemOf(number) } }));
const written = () => mock.commandCalls(BatchWriteCommand).map(({ args }) => args[0].input.RequestItems?.[tableName]);

describe('putAll()', () => {
  it('writes 25 items with each request', async () => {
    mock.on(BatchWriteCommand).resolves({});

    await putAll(table, numbers(60).map(itemOf));

    const all = putsOf(numbers(60));
    expect(written()).toEqual([all.slice(0, 25), all.slice(25, 50), all.slice(50)]);
    expect(waits).toEqual([]);
  });

  it('retries the items that a busy table left out, with growing waits', async () => {
    mock
      .on(BatchWriteCommand)
      .resolvesOnce({ UnprocessedItems: { [tableName]: putsOf([1, 2]) } })
      .resolvesOnce({ UnprocessedItems: { [tableName]: putsOf([1, 2]) } })
      .resolvesOnce({ UnprocessedItems: { [tableName]: putsOf([2]) } })
      .resolves({});

    await putAll(table, numbers(3).map(itemOf));

    expect(written()).toEqual([putsOf([0, 1, 2]), putsOf([1, 2]), putsOf([1, 2]), putsOf([2])]);
    expect(waits).toEqual([20, 40, 20]);
  });

  it('throws after eight tries that wrote nothing', async () => {
    mock.on(BatchWriteCommand).resolves({ UnprocessedItems: { [tableName]: putsOf([0]) } });

    const done = putAll(table, [itemOf(0)]);

    await expect(done).rejects.toThrow('Cannot write items: a busy table left 1 unprocessed');
    expect(written()).toHaveLength(8);
  });
});

it('putAll() and getAll() send no request for nothing', async () => {
  await putAll(table, []);

  expect(await getAll(table, [])).toEqual([]);
  expect(commandsOf(mock)).toEqual([]);
});

describe('getAll()', () => {
  const requestOf = (of: readonly number[]) => ({
    BatchGetCommand: { RequestItems: { [tableName]: { Keys: of.map(keyOf), ConsistentRead: true } } },
  });

  it('returns the items in the order of the keys, in any order of the responses', async () => {
    mock.on(BatchGetCommand).resolves({ Responses: { [tableName]: [2, 0].map(itemOf) } });

    const found = await getAll(table, numbers(3).map(keyOf));

    expect(found).toEqual([itemOf(0), undefined, itemOf(2)]);
  });

  it('requests again the keys that a busy table left out, and keeps the order', async () => {
    mock
      .on(BatchGetCommand)
      .resolvesOnce({
        Responses: { [tableName]: [itemOf(1)] },
        UnprocessedKeys: { [tableName]: { Keys: [0, 2].map(keyOf) } },
      })
      .resolves({ Responses: { [tableName]: [2, 0].map(itemOf) } });

    expect(await getAll(table, numbers(3).map(keyOf))).toEqual(numbers(3).map(itemOf));

    expect(commandsOf(mock)).toEqual([requestOf([0, 1, 2]), requestOf([0, 2])]);
    expect(waits).toEqual([20]);
  });

  it('reads as many parts as a partition takes, of which DynamoDB reads 1 MB in a request', async () => {
    mock.on(BatchGetCommand).callsFake(({ RequestItems }) => {
      const [first, ...rest] = RequestItems[tableName].Keys;
      return {
        Responses: { [tableName]: [first] },
        UnprocessedKeys: rest.length > 0 && { [tableName]: { Keys: rest } },
      };
    });

    expect(await getAll(table, numbers(20).map(keyOf))).toEqual(numbers(20).map(keyOf));
  });

  it('throws after eight tries that read nothing', async () => {
    mock.on(BatchGetCommand).resolves({ UnprocessedKeys: { [tableName]: { Keys: [keyOf(0)] } } });

    const done = getAll(table, [keyOf(0)]);

    await expect(done).rejects.toThrow('Cannot read items: a busy table left 1 unprocessed');
    expect(commandsOf(mock)).toHaveLength(8);
  });
});

describe('getAllCheaply()', () => {
  it('reads for half the price, and strongly consistent only what it did not find', async () => {
    mock
      .on(BatchGetCommand)
      .resolvesOnce({ Responses: { [tableName]: [itemOf(2), itemOf(0)] } })
      .resolvesOnce({ Responses: { [tableName]: [itemOf(1)] } });

    const found = await getAllCheaply(table, numbers(4).map(keyOf));

    expect(found).toEqual([itemOf(0), itemOf(1), itemOf(2), undefined]);
    const asked = mock.commandCalls(BatchGetCommand).map(({ args }) => args[0].input.RequestItems?.[tableName]);
    expect(asked).toEqual([
      { Keys: numbers(4).map(keyOf), ConsistentRead: false },
      { Keys: [1, 3].map(keyOf), ConsistentRead: true },
    ]);
  });
});
