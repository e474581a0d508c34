import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { DynamoDb } from '../../tools/local/aws/dynamodb/dynamodb.ts';
import { createTableInput } from '../support/aws/create-table-input.ts';
import { missingDynoxide, startDynoxide } from '../support/aws/dynoxide.ts';
import { rawRequests, rawRequestsTo, type SendRaw } from '../support/aws/raw-requests.ts';
import { minute } from '../support/values/builders.ts';
import {
  type ConditionVector,
  conditions,
  type RequestVector,
  requests,
  type UpdateVector,
  updates,
} from '../support/values/dynamodb-vectors.ts';

const TableName = 'table';
const keyOf = (sk: number) => ({ pk: { S: 'a' }, sk: { S: String(sk) } });
const missing = missingDynoxide();

type Noted = { readonly dynoxide?: string | undefined };

// In this process; `random-requests.test.ts` asks it over HTTP.
describe('the DynamoDB of the local stack', () => {
  const dynamodb = new DynamoDb({ now: Date.now });
  vectorSuite(async () => rawRequests(async (action, input) => dynamodb.call(action, input)), false);
});

// The vectors themselves are judged by an implementation that others wrote.
describe.skipIf(missing !== null)(`Dynoxide${missing === null ? '' : ` (${missing})`}`, () => {
  vectorSuite(async (parts) => rawRequestsTo(parts.use(await startDynoxide()).url, parts), true);
});

/** @param mayDiffer whether answers differ from a vector that names this */
function vectorSuite(connect: (parts: AsyncDisposableStack) => Promise<SendRaw>, mayDiffer: boolean): void {
  const parts = new AsyncDisposableStack();
  let send: SendRaw;
  beforeAll(async () => {
    send = await connect(parts);
  });
  afterAll(() => parts.disposeAsync());
  beforeEach(() => send('CreateTable', createTableInput(TableName)));
  afterEach(() => send('DeleteTable', { TableName }));

  /** Also refuses a note about Dynoxide that is no longer true. */
  function expectAnswers(answers: readonly Noted[], vectors: readonly Noted[]): void {
    const isAlike = ({ dynoxide }: Noted) => !(mayDiffer && dynoxide !== undefined);
    expect(answers.filter(isAlike)).toEqual(vectors.filter(isAlike));
    for (const [index, vector] of vectors.entries())
      if (!isAlike(vector)) expect(answers[index], 'Dynoxide no longer differs').not.toEqual(vector);
  }

  for (const { name, cases } of conditions.groups)
    it(`as conditions and as filters, ${name}`, async () => {
      await send('PutItem', { TableName, Item: { ...keyOf(1), ...conditions.item } });

      const met = await Promise.all(cases.map((vector) => askCondition(send, vector)));

      expectAnswers(met, cases);
    });

  for (const { name, cases } of updates.groups)
    it(`of updates, ${name}`, async () => {
      const after = await Promise.all(cases.map((vector, index) => askUpdate(send, keyOf(index), vector)));

      expectAnswers(after, cases);
    });

  for (const { name: group, cases } of requests.groups)
    for (const vector of cases)
      it(`of ${group}, ${vector.name}`, async () => {
        for (const Item of vector.items) expect(await send('PutItem', { TableName, Item })).toEqual({ answer: {} });

        expectAnswers([await askSteps(send, vector)], [vector]);
      });

  it('the segments of a scan share the rows between them', async () => {
    const keys = Array.from({ length: 20 }, (_, number) => ({ pk: { S: `p${number}` }, sk: { S: '1' } }));
    for (const Item of keys) await send('PutItem', { TableName, Item });

    const segments = [0, 1, 2].map(async (Segment) => {
      const scan = await send('Scan', { TableName, Segment, TotalSegments: 3 });
      return 'answer' in scan ? scanned.parse(scan.answer).Items.map(({ pk }) => pk.S) : [];
    });

    const found = await Promise.all(segments);
    expect(found.flat().toSorted()).toEqual(keys.map(({ pk }) => pk.S).toSorted());
    for (const each of found) expect(each.length).toBeLessThan(keys.length);
  });
}

function expressions({ values, names }: Pick<ConditionVector, 'values' | 'names'>) {
  return {
    ...(values && { ExpressionAttributeValues: values }),
    ...(names && { ExpressionAttributeNames: names }),
  };
}

const otherwise = (type: string) => (type === 'ValidationException' ? 'refused' : type);

/** The same vector with what an implementation answers. */
async function askCondition(send: SendRaw, vector: ConditionVector) {
  const changed = await send('UpdateItem', {
    TableName,
    Key: keyOf(1),
    UpdateExpression: 'REMOVE no_attribute',
    ConditionExpression: vector.condition,
    ...expressions(vector),
  });
  const found = await send('Scan', {
    TableName,
    FilterExpression: vector.condition,
    Select: 'COUNT',
    ...expressions(vector),
  });
  const isRefused = 'error' in changed && changed.error.type === 'ConditionalCheckFailedException';
  const asCondition = 'error' in changed && !isRefused ? otherwise(changed.error.type) : !isRefused;
  const asFilter = 'error' in found ? otherwise(found.error.type) : counted.parse(found.answer).Count === 1;
  return { ...vector, met: asCondition === asFilter ? asCondition : { asCondition, asFilter } };
}

async function askUpdate(send: SendRaw, Key: ReturnType<typeof keyOf>, vector: UpdateVector) {
  const { before, update } = vector;
  if (before) await send('PutItem', { TableName, Item: { ...Key, ...before } });
  const input = { TableName, Key, UpdateExpression: update, ...expressions(vector) };
  const changed = await send('UpdateItem', input);
  if ('error' in changed) return { ...vector, after: otherwise(changed.error.type) };
  const read = await send('GetItem', { TableName, Key, ConsistentRead: true });
  const { pk, sk, ...after } = 'answer' in read ? stored.parse(read.answer).Item : {};
  return { ...vector, after };
}

const counted = z.object({ Count: z.number() });
const stored = z.object({ Item: z.record(z.string(), z.unknown()) });
const scanned = z.object({ Items: z.array(z.object({ pk: z.object({ S: z.string() }) })) });

/** A message is compared where the vector has one. */
async function askSteps(send: SendRaw, vector: RequestVector) {
  const steps: object[] = [];
  for (const { action, input, error: expected } of vector.steps) {
    const answered = await send(action, input);
    if ('answer' in answered) steps.push({ action, input, answer: answered.answer });
    else {
      const { message, CancellationReasons: reasons, ...error } = answered.error;
      const inWords = expected?.message === undefined ? {} : { message };
      const inCodes = reasons && { CancellationReasons: reasons.map(({ Message: _, ...reason }) => reason) };
      steps.push({ action, input, error: { ...error, ...inCodes, ...inWords } });
    }
  }
  return { ...vector, steps };
}

it('a batch of reads over 16 MB names the keys that are left, until all are read', () => {
  const dynamodb = new DynamoDb({ now: () => 0 });
  const { actions } = dynamodb;
  dynamodb.createTable(createTableInput(TableName));
  const Keys = Array.from({ length: 50 }, (_, number) => ({ ...keyOf(1), pk: { S: String(number) } }));
  for (const key of Keys) actions.PutItem({ TableName, Item: { ...key, x: { S: 'x'.repeat(390 * 1024) } } });

  const counts: number[] = [];
  let RequestItems: Parameters<typeof actions.BatchGetItem>[0]['RequestItems'] = {
    [TableName]: { Keys, ConsistentRead: true },
  };
  while (Object.keys(RequestItems).length > 0) {
    const { Responses, UnprocessedKeys } = actions.BatchGetItem({ RequestItems });
    counts.push(Responses[TableName]?.length ?? 0);
    RequestItems = UnprocessedKeys;
  }

  expect(counts).toEqual([42, 8]);
});

it('an eventually consistent read sees what was stored as long ago as the test says, also in an index', () => {
  const clock = { now: 0, staleness: 0 };
  const dynamodb = new DynamoDb({ now: () => clock.now, staleness: () => clock.staleness });
  const { actions } = dynamodb;
  dynamodb.createTable(createTableInput(TableName));
  const waiting = { waiting_pk: { S: 'WAITING#0' }, waiting_sk: { S: 'a' } };
  const look = (ConsistentRead: boolean) => actions.GetItem({ TableName, Key: keyOf(1), ConsistentRead }).Item?.x;
  const countWaiting = () =>
    actions.Query({
      TableName,
      IndexName: 'waiting',
      KeyConditionExpression: 'waiting_pk = :shard',
      ExpressionAttributeValues: { ':shard': waiting.waiting_pk },
    }).Count;
  clock.now = 1_000;
  actions.PutItem({ TableName, Item: { ...keyOf(1), ...waiting, x: { S: 'first' } } });
  clock.now = 2_000;
  actions.PutItem({ TableName, Item: { ...keyOf(1), x: { S: 'second' } } });
  clock.now = 3_000;
  actions.DeleteItem({ TableName, Key: keyOf(1) });

  const seen = [0, 1, 1_000, 1_001, 2_000, 2_001].map((staleness) => {
    clock.staleness = staleness;
    return [look(false), countWaiting()];
  });

  expect(seen).toEqual([
    [undefined, 0],
    [{ S: 'second' }, 0],
    [{ S: 'second' }, 0],
    [{ S: 'first' }, 1],
    [{ S: 'first' }, 1],
    [undefined, 0],
  ]);
  expect(look(true)).toBeUndefined();
});

describe('the token of a transaction', () => {
  const put = (x: string) => ({
    ClientRequestToken: 'token',
    TransactItems: [{ Put: { TableName, Item: { ...keyOf(1), x: { S: x } } } }],
  });

  it('the token of a transaction is known for ten minutes, whatever becomes of its item', () => {
    let now = 0;
    const dynamodb = new DynamoDb({ now: () => now });
    const { actions } = dynamodb;
    const stored = () => actions.GetItem({ TableName, Key: keyOf(1) }).Item?.x;
    dynamodb.createTable(createTableInput(TableName));
    actions.TransactWriteItems(put('first'));
    actions.DeleteItem({ TableName, Key: keyOf(1) });

    now = 10 * minute - 1;
    actions.TransactWriteItems(put('first'));
    expect(() => actions.TransactWriteItems(put('other'))).toThrow('other parameters');
    expect(stored()).toBeUndefined();

    now = 10 * minute;
    actions.TransactWriteItems(put('other'));
    expect(stored()).toEqual({ S: 'other' });
  });
});
