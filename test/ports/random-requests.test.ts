import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AttributeValue } from '../../tools/local/aws/dynamodb/attribute-value.ts';
import { startDynamodb } from '../../tools/local/aws/dynamodb/start-dynamodb.ts';
import { createTableInput } from '../support/aws/create-table-input.ts';
import { missingDynoxide, startDynoxide } from '../support/aws/dynoxide.ts';
import { type RawAnswer, rawRequestsTo, type SendRaw } from '../support/aws/raw-requests.ts';

/**
 * Random requests to the DynamoDB of the local stack and to Dynoxide, on a few items, attributes and values, so that
 * they meet. No request has in it what the vectors of `dynamodb.test.ts` say of Dynoxide, or what is not built here:
 *
 * - an order of other types than texts and numbers, or wrong bounds of BETWEEN
 * - `<>` with two absent attributes, or in a statement with one, of which the documentation says nothing
 * - places beyond the end of a list, or two removals from one list
 * - ALL_OLD of an update that may create an item, or UPDATED_OLD and UPDATED_NEW of nested attributes
 * - start keys outside of the range of a query
 * - pages of more than 1 MB
 */
const sequences = 20;

const TableName = 'table';

const values: Readonly<Record<string, AttributeValue>> = {
  ':one': { N: '1' },
  ':two': { N: '2.5' },
  ':minus': { N: '-10' },
  ':huge': { N: '12345678901234567890123456789012345678' },
  ':huger': { N: '12345678901234567890123456789012345679' },
  ':a': { S: 'a' },
  ':ab': { S: 'ab' },
  ':last': { S: '\u{FFFD}' },
  ':face': { S: '\u{1F600}' },
  ':empty': { S: '' },
  ':yes': { BOOL: true },
  ':nil': { NULL: true },
  ':letters': { SS: ['a', 'ab'] },
  ':letter': { SS: ['a'] },
  ':list': { L: [{ S: 'a' }, { N: '1' }] },
  ':none': { L: [] },
  ':map': { M: { k: { N: '1' } } },
};

const oneOf = <const T extends readonly string[]>(...texts: T) => fc.constantFrom<string>(...texts);
/** Fills the places of a text, `%`, with texts in turn. */
const text = (form: string, ...parts: readonly fc.Arbitrary<string>[]): fc.Arbitrary<string> =>
  fc.tuple(...parts).map((filled) => filled.reduce((given, part) => given.replace('%', () => part), form));

const number = oneOf(':one', ':two', ':minus', ':huge', ':huger');
const string = oneOf(':a', ':ab', ':last', ':face', ':empty');
const ordered = fc.oneof(number, string);
const value = fc.oneof(ordered, oneOf(':yes', ':nil', ':letters', ':list', ':map'));
const path = oneOf('x', 'y', 'li', 'li[0]', 'li[1]', 'ma', 'ma.k', 'ma.z', 'letters', 'absent');

const leaf = fc.oneof(
  text('% = %', path, fc.oneof(value, fc.constant('n'))),
  text('% <> %', path, value),
  text('% % %', path, oneOf('<', '<=', '>', '>='), fc.oneof(ordered, fc.constant('n'))),
  text('% BETWEEN %', path, oneOf(':minus AND :two', ':huge AND :huger', ':a AND :ab', ':last AND :face')),
  text('%(%)', oneOf('attribute_exists', 'attribute_not_exists'), path),
  text('begins_with(%, %)', path, string),
  text('contains(%, %)', path, ordered),
  text('size(%) % %', path, oneOf('=', '<>', '<', '<=', '>', '>='), oneOf(':one', ':two')),
);
const condition: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: leaf },
  text('% % % % %', leaf, oneOf('AND', 'OR'), leaf, oneOf('AND', 'OR'), leaf),
  text('NOT % % %', leaf, oneOf('AND', 'OR'), leaf),
  text('(% OR %) AND NOT (% % %)', leaf, leaf, leaf, oneOf('AND', 'OR'), leaf),
);

const operand = fc.oneof(value, path, text('if_not_exists(%, %)', path, value));
const list = oneOf('li', ':list', 'if_not_exists(li, :none)');
const place = oneOf(':a', ':ab', ':face', ':last');
/** At most one change of each attribute, because two may overlap. */
const changes = fc
  .tuple(
    fc.option(fc.oneof(text('SET x = %', operand), fc.constant('REMOVE x'))),
    fc.option(fc.oneof(text('SET y = %', operand), fc.constant('REMOVE y'))),
    fc.option(
      fc.oneof(
        text('SET li = list_append(%, %)', list, list),
        text('SET li[0] = %', operand),
        oneOf('REMOVE li[0]', 'REMOVE li[1]'),
      ),
    ),
    fc.option(
      fc.oneof(
        text('SET ma.k = %', operand),
        text('SET ma = %', oneOf(':map', ':one')),
        oneOf('SET ma.z = x', 'REMOVE ma.k', 'REMOVE ma'),
      ),
    ),
    fc.option(text('% letters %', oneOf('ADD', 'DELETE'), oneOf(':letters', ':letter'))),
    fc.option(fc.oneof(text('SET waiting_pk = %', fc.oneof(place, number)), oneOf('REMOVE waiting_pk'))),
    fc.option(fc.oneof(text('SET waiting_sk = %', place), oneOf('REMOVE waiting_sk'))),
  )
  .map((given) => {
    const each = given.filter((change) => change !== null).map((change) => change.split(/ (.*)/s));
    const clauses = Map.groupBy(each, ([kind = '']) => kind);
    const texts = [...clauses].map(([kind, parts]) => `${kind} ${parts.map(([, part]) => part).join(', ')}`);
    return texts.join(' ') || 'REMOVE absent';
  });

const key = fc.record({
  pk: fc.constantFrom({ S: 'a' }, { S: 'b' }),
  sk: fc.constantFrom(...['1', '2', '10', '\u{FFFD}', '\u{1F600}'].map((S) => ({ S }))),
});
const stored = (name: fc.Arbitrary<string>) => name.map((each) => values[each] ?? { NULL: true });
const item = fc
  .tuple(
    key,
    fc.record(
      {
        n: stored(number),
        x: stored(value),
        y: stored(value),
        li: stored(oneOf(':list', ':none')),
        ma: stored(oneOf(':map')),
        letters: stored(oneOf(':letters', ':letter')),
        waiting_pk: stored(oneOf(':a')),
        waiting_sk: stored(place),
        listed_pk: stored(oneOf(':a')),
        listed_sk: stored(place),
      },
      { requiredKeys: [] },
    ),
  )
  .map(([keys, rest]) => ({ ...keys, ...rest }));

/** Adds the table, and the values that the expressions of a request name. */
function toTable<T extends object>(input: T) {
  const names = new Set(JSON.stringify(Object.values(input)).match(/:\w+/g));
  const used = Object.entries(values).filter(([name]) => names.has(name));
  const more = used.length === 0 ? {} : { ExpressionAttributeValues: Object.fromEntries(used) };
  return { TableName, ...input, ...more };
}

const optional = { requiredKeys: [] };
const ifMet = fc.record(
  {
    ConditionExpression: condition,
    ReturnValuesOnConditionCheckFailure: oneOf('NONE', 'ALL_OLD'),
  },
  optional,
);
const merge = <A extends object, B extends object>(one: fc.Arbitrary<A>, other: fc.Arbitrary<B>) =>
  fc.tuple(one, other).map(([first, second]) => ({ ...first, ...second }));
const ReturnConsumedCapacity = oneOf('NONE', 'TOTAL', 'INDEXES');

const put = merge(fc.record({ Item: item }), ifMet).map(toTable);
const update = merge(fc.record({ Key: key, UpdateExpression: changes }), ifMet).map(toTable);
const remove = merge(fc.record({ Key: key }), ifMet).map(toTable);
const check = merge(fc.record({ Key: key, ConditionExpression: condition }), fc.constant({})).map(toTable);

const page = fc.record(
  {
    FilterExpression: condition,
    Limit: fc.constantFrom(1, 2, 3),
    ScanIndexForward: fc.boolean(),
    ReturnConsumedCapacity,
    Select: fc.constant('COUNT'),
  },
  optional,
);
const range = oneOf('', ' AND % < :last', ' AND % >= :last', ' AND begins_with(%, :a)', ' AND % = :ab');
const query = merge(
  fc.oneof(
    range.map((more) => ({ KeyConditionExpression: `pk = :a${more.replace('%', 'sk')}` })),
    range.map((more) => ({
      IndexName: 'waiting',
      KeyConditionExpression: `waiting_pk = :a${more.replace('%', 'waiting_sk')}`,
    })),
    key.map(({ sk }) => ({
      KeyConditionExpression: 'pk = :a',
      ExclusiveStartKey: { pk: { S: 'a' }, sk },
    })),
  ),
  page,
).map(toTable);

const statement = fc.oneof(
  fc.tuple(key, stored(value)).map(([{ pk, sk }, x]) => ({
    Statement: `INSERT INTO "${TableName}" VALUE {'pk': ?, 'sk': ?, 'x': ?}`,
    Parameters: [pk, sk, x],
  })),
  fc
    .tuple(
      key,
      stored(value),
      stored(number),
      oneOf('', ' RETURNING ALL NEW *'),
      oneOf('x IS MISSING', 'y IS MISSING', '(x IS MISSING OR n > ?)', 'n = ?', 'NOT n < ?'),
    )
    .map(([{ pk, sk }, x, n, returning, only]) => ({
      Statement: `UPDATE "${TableName}" SET x = ? WHERE pk = ? AND sk = ? AND ${only}${returning}`,
      Parameters: [x, pk, sk, ...(only.includes('?') ? [n] : [])],
    })),
);

const capacity = fc.record({ ReturnConsumedCapacity }, optional);
const request = <T extends object>(action: string, input: fc.Arbitrary<T>) =>
  input.map((given) => ({ action, input: given }));
const someOf = <T>(arbitrary: fc.Arbitrary<T>) => fc.array(arbitrary, { minLength: 1, maxLength: 3 });

const anyRequest = fc.oneof(
  request('PutItem', merge(put, fc.record({ ReturnValues: oneOf('NONE', 'ALL_OLD') }, optional))),
  request('UpdateItem', merge(update, fc.record({ ReturnValues: oneOf('NONE', 'ALL_NEW') }, optional))),
  request('UpdateItem', merge(update, capacity)),
  request('DeleteItem', merge(remove, fc.record({ ReturnValues: oneOf('NONE', 'ALL_OLD') }, optional))),
  request('DeleteItem', merge(remove, capacity)),
  request(
    'GetItem',
    merge(
      key.map((Key) => ({ TableName, Key })),
      fc.record({ ProjectionExpression: fc.constant('x, ma') }, optional),
    ),
  ),
  request('Query', query),
  request('Scan', merge(fc.record({ FilterExpression: condition }), capacity).map(toTable)),
  request(
    'BatchGetItem',
    merge(
      someOf(key).map((Keys) => ({ RequestItems: { [TableName]: { Keys } } })),
      capacity,
    ),
  ),
  request(
    'BatchWriteItem',
    someOf(
      fc.oneof(
        item.map((Item) => ({ PutRequest: { Item } })),
        key.map((Key) => ({ DeleteRequest: { Key } })),
      ),
    ).map((writes) => ({ RequestItems: { [TableName]: writes } })),
  ),
  request(
    'TransactWriteItems',
    fc
      .tuple(
        someOf(
          fc.oneof(
            put.map((Put) => ({ Put })),
            update.map((Update) => ({ Update })),
            remove.map((Delete) => ({ Delete })),
            check.map((ConditionCheck) => ({ ConditionCheck })),
          ),
        ),
        fc.record({ ReturnConsumedCapacity }, optional),
      )
      .map(([TransactItems, more]) => ({ TransactItems, ...more })),
  ),
  request(
    'BatchExecuteStatement',
    someOf(statement).map((Statements) => ({ Statements })),
  ),
);

/** By their names alone, because implementations differ in their words. */
function withoutWords(answer: RawAnswer) {
  if ('answer' in answer) return answer;
  const { type, Item, CancellationReasons } = answer.error;
  return { type, Item, reasons: CancellationReasons?.map((reason) => [reason.Code, reason.Item]) };
}

const missing = missingDynoxide();

describe.skipIf(missing !== null)(`random requests${missing === null ? '' : ` (${missing})`}`, () => {
  const parts = new AsyncDisposableStack();
  let implementations: readonly SendRaw[];
  beforeAll(async () => {
    const running = await Promise.all([startDynamodb(), startDynoxide()]);
    implementations = running.map((service) => rawRequestsTo(parts.use(service).url, parts));
  });
  afterAll(() => parts.disposeAsync());

  it.each(Array.from({ length: sequences }, (_, number) => number))(
    'random requests are answered alike by two implementations of DynamoDB (%i)',
    async (seed) => {
      const scenario = fc.array(anyRequest, { minLength: 60, maxLength: 60, size: 'max' });
      const [made = []] = fc.sample(scenario, { numRuns: 1, seed });
      const all = ['a', 'b'].map((pk) => ({
        action: 'Query',
        input: {
          TableName,
          KeyConditionExpression: 'pk = :p',
          ExpressionAttributeValues: { ':p': { S: pk } },
        },
      }));
      const ask = async (action: string, input: object) =>
        (await Promise.all(implementations.map((send) => send(action, input)))).map(withoutWords);
      await ask('DeleteTable', { TableName });
      await ask('CreateTable', createTableInput(TableName));

      for (const { action, input } of [...made, ...all]) {
        const [local, reference] = await ask(action, input);
        expect(local, `${action} ${JSON.stringify(input)}`).toEqual(reference);
      }
    },
  );
});
