import type { z } from 'zod';
import { AwsError, parseInput } from '../aws-api.ts';
import { type Item, pick, readItem, validationError } from './attribute-value.ts';
import { batchGet } from './batch-get.ts';
import { consumed, consumedByAll, unitsOf } from './consumed-capacity.ts';
import { Scope } from './expressions/scope.ts';
import { type Input, inputs } from './inputs.ts';
import { itemBytes } from './item-size.ts';
import { type Page, query, readUnits, scan } from './reads.ts';
import { planStatement, refusalOf } from './statements.ts';
import { StoredTable, tableInput } from './stored-table.ts';
import type { TableDatabase } from './table-database.ts';
import { planTransaction, TransactionTokens } from './transactions.ts';
import { type FindTable, nameOf, type Planned, planDelete, planPut, planUpdate, refuseDoubles } from './writes.ts';

export type DynamoDbOptions = {
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Milliseconds that the next eventually consistent read is behind. Default: none ever is. */
  readonly staleness?: () => number;
  /** Called with the items that a request changed, once all of them are stored. */
  readonly onWritten?: (changes: readonly Change[]) => void;
  /** Keeps tables and items. Default: none are kept. */
  readonly database?: TableDatabase | undefined;
};

/** One of `before` and `after` may be missing. */
export type Change = { readonly before: Item | undefined; readonly after: Item | undefined };

type Action = keyof typeof inputs;
type Answer = Readonly<Record<string, unknown>>;

/**
 * DynamoDB with the actions and expressions of this project, in memory: conditional writes, transactions with their
 * tokens, pages, sparse indexes, and the units that each consumes. It refuses what DynamoDB refuses, and by name what
 * is not built. https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/
 */
export class DynamoDb {
  readonly #options: DynamoDbOptions;
  readonly #tables = new Map<string, StoredTable>();
  readonly #tokens: TransactionTokens;

  constructor(options: DynamoDbOptions) {
    this.#options = options;
    this.#tokens = new TransactionTokens(options.now);
    for (const input of options.database?.tables() ?? []) this.#addTable(parseInput(tableInput, input));
  }

  /** What each action does with an input that has been read. All throw AwsError. */
  readonly actions = {
    DescribeTable: ({ TableName }) => {
      const items = [...this.#table(TableName).rows.all(null, () => true)];
      const TableSizeBytes = items.reduce((sum, item) => sum + itemBytes(item), 0);
      return { Table: { TableName, TableStatus: 'ACTIVE', ItemCount: items.length, TableSizeBytes } };
    },
    DeleteTable: ({ TableName }) => {
      this.#table(TableName);
      this.#tables.delete(TableName);
      this.#options.database?.dropTable(TableName);
      return {};
    },
    GetItem: (input) => this.#getItem(input),
    PutItem: (input) => this.#writeItem(input, planPut(this.#table(input.TableName), input)),
    DeleteItem: (input) => this.#writeItem(input, planDelete(this.#table(input.TableName), input)),
    UpdateItem: (input) => this.#writeItem(input, planUpdate(this.#table(input.TableName), input)),
    Query: (input) => pageAnswer(input, query(this.#table(input.TableName), input, this.#staleTime())),
    Scan: (input) => pageAnswer(input, scan(this.#table(input.TableName), input, checksum)),
    BatchGetItem: (input) => batchGet(this.#table, input, () => this.#staleTime()),
    BatchWriteItem: (input) => this.#batchWrite(input),
    TransactWriteItems: (input) => this.#transact(input),
    BatchExecuteStatement: (input) => this.#executeBatch(input),
  } as const satisfies Actions<Action>;

  /** Reads an input as it comes over the wire. @throws AwsError */
  call(action: string, input: unknown): object {
    if (action === 'CreateTable') return this.createTable(input);
    if (isAction(action)) return callAction(this.actions, action, input);
    throw new AwsError('UnknownOperationException', `The local DynamoDB does not serve ${action}`);
  }

  createTable(input: unknown) {
    const read = parseInput(tableInput, input);
    if (this.#tables.has(read.TableName))
      throw new AwsError('ResourceInUseException', `Table already exists: ${read.TableName}`);
    this.#addTable(read);
    this.#options.database?.createTable(read.TableName, input);
    return { TableDescription: { TableName: read.TableName, TableStatus: 'ACTIVE' } };
  }

  #addTable(input: z.output<typeof tableInput>): void {
    const { now, staleness, database } = this.#options;
    const storeOf = (index?: string) => database?.rows(input.TableName, index);
    const table = new StoredTable(input, { now, keepsVersions: staleness !== undefined, storeOf });
    this.#tables.set(table.name, table);
  }

  readonly #table: FindTable = (name) => {
    const table = this.#tables.get(name);
    if (table !== undefined) return table;
    throw new AwsError('ResourceNotFoundException', `Requested resource not found: Table: ${name} not found`);
  };

  /** What the next eventually consistent read sees; `undefined`: the current state. */
  #staleTime(): number | undefined {
    const { now, staleness } = this.#options;
    return staleness === undefined ? undefined : now() - staleness();
  }

  #getItem(input: Input<'GetItem'>) {
    const table = this.#table(input.TableName);
    const scope = new Scope(input);
    const names = scope.projection(input.ProjectionExpression);
    scope.checkUsed();
    const place = table.keyPlace(readItem(input.Key));
    const item = table.rows.get(place, input.ConsistentRead ? undefined : this.#staleTime());
    const units = () => ({ table: readUnits(itemBytes(item ?? {}), input.ConsistentRead), indexes: {} });
    return {
      ...(item === undefined ? {} : { Item: names === null ? item : pick(item, names) }),
      ...consumed(input, () => ({ name: table.name, units: units() })),
    };
  }

  #writeItem(input: Input<'PutItem' | 'UpdateItem' | 'DeleteItem'>, planned: Planned) {
    const { before, after, changed } = planned;
    const { ReturnValues = 'NONE' } = input;
    if (ReturnValues.startsWith('UPDATED') && changed.some(({ length }) => length > 1))
      throw validationError(`ReturnValues ${ReturnValues} of nested attributes is not built here`);
    this.#store([planned]);
    const returned = {
      NONE: undefined,
      ALL_OLD: before,
      ALL_NEW: after,
      UPDATED_OLD: before && partsOf(before, changed),
      UPDATED_NEW: after && partsOf(after, changed),
    }[ReturnValues];
    return {
      ...(returned === undefined ? {} : { Attributes: returned }),
      ...consumed(input, () => unitsOf(planned)),
    };
  }

  #store(writes: readonly Planned[]): void {
    const changes = writes.filter(({ before, after }) => before !== after);
    for (const { table, place, before, after } of changes) table.set(place, before, after);
    if (changes.length > 0) this.#options.onWritten?.(changes);
  }

  #batchWrite(input: Input<'BatchWriteItem'>) {
    const planned = Object.entries(input.RequestItems).flatMap(([name, requests]) => {
      const table = this.#table(name);
      return requests.map((request) =>
        'PutRequest' in request ? planPut(table, request.PutRequest) : planDelete(table, request.DeleteRequest),
      );
    });
    if (planned.length > 25) throw validationError('Too many items requested for the BatchWriteItem call');
    refuseDoubles(planned.map(nameOf));
    this.#store(planned);
    return { UnprocessedItems: {}, ...consumedByAll(input, () => planned.map(unitsOf)) };
  }

  #transact(input: Input<'TransactWriteItems'>): Answer {
    const { ClientRequestToken: token, TransactItems } = input;
    const content = JSON.stringify(TransactItems);
    if (token !== undefined && this.#tokens.isDone(token, content)) return {};
    const planned = planTransaction(this.#table, TransactItems);
    this.#store(planned);
    if (token !== undefined) this.#tokens.keep(token, content);
    return consumedByAll(input, () => planned.map(unitsOf), 2);
  }

  /** Each statement stands alone: one that is refused leaves the others as they are. */
  #executeBatch(input: Input<'BatchExecuteStatement'>) {
    const results = input.Statements.map((statement) => {
      try {
        return planStatement(this.#table, statement);
      } catch (error) {
        return { answer: refusalOf(error) };
      }
    });
    const planned = results.filter((result) => 'table' in result);
    refuseDoubles(planned.map(nameOf));
    this.#store(planned);
    const Responses = results.map((result) => ({
      ...('table' in result ? { TableName: result.table.name } : {}),
      ...result.answer,
    }));
    return { Responses, ...consumedByAll(input, () => planned.map(unitsOf)) };
  }
}

function isAction(action: string): action is Action {
  return Object.hasOwn(inputs, action);
}

type Actions<A extends Action> = { readonly [Name in A]: (input: Input<Name>) => object };

function callAction<A extends Action>(actions: Actions<A>, action: A, input: unknown): object {
  return actions[action](parse(action, input));
}

function parse<A extends Action>(action: A, input: unknown): Input<A>;
function parse(action: Action, input: unknown): unknown {
  return parseInput<unknown>(inputs[action], input);
}

function pageAnswer(input: Input<'Query' | 'Scan'>, { units, ...page }: Page) {
  const ofIndex = { table: 0, indexes: { [input.IndexName ?? '']: units } };
  const used = input.IndexName === undefined ? { table: units, indexes: {} } : ofIndex;
  return { ...page, ...consumed(input, () => ({ name: input.TableName, units: used })) };
}

function partsOf(item: Item, paths: Planned['changed']): Item | undefined {
  const parts = pick(item, paths.map(String));
  return Object.keys(parts).length === 0 ? undefined : parts;
}

function checksum(text: string): number {
  let value = 0;
  for (let index = 0; index < text.length; index += 1) value = (value * 31 + text.charCodeAt(index)) >>> 0;
  return value;
}
