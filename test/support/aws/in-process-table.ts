import {
  ConditionalCheckFailedException,
  IdempotentParameterMismatchException,
  TransactionCanceledException,
} from '@aws-sdk/client-dynamodb';
import type {
  BatchExecuteStatementCommandInput,
  BatchGetCommandInput,
  BatchWriteCommandInput,
  GetCommandInput,
  PutCommandInput,
  QueryCommandInput,
  TransactWriteCommandInput,
  UpdateCommandInput,
} from '@aws-sdk/lib-dynamodb';
import type { NativeAttributeValue } from '@aws-sdk/util-dynamodb';
import type { Table } from '#shared/aws/clients.ts';
import type { TableClient } from '#shared/aws/table-client.ts';
import { AwsError } from '../../../tools/local/aws/aws-api.ts';
import type { AttributeValue, Item } from '../../../tools/local/aws/dynamodb/attribute-value.ts';
import { DynamoDb } from '../../../tools/local/aws/dynamodb/dynamodb.ts';
import { createTableInput } from './create-table-input.ts';

/** An empty table in this process. */
export function inProcessTable(dynamodb = new DynamoDb({ now: Date.now })): Table {
  const name = 'table';
  dynamodb.createTable(createTableInput(name));
  return { client: inProcessTableClient(tableActions(dynamodb)), name, report: () => {} };
}

type Native = Readonly<Record<string, NativeAttributeValue>>;

/** What the table client asks of a DynamoDB in this process, answered at once. Throws what the SDK throws. */
export type TableActions = ReturnType<typeof tableActions>;

export function tableActions({ actions }: DynamoDb) {
  return {
    get: ({ Key, ...input }: GetCommandInput): Answer<'get'> => {
      const { Item } = serve(() => actions.GetItem({ ...withItems(input), Key: toItem(Key) }));
      return Item === undefined ? {} : { Item: fromItem(Item) };
    },
    put: ({ Item, ReturnValues: _, ...input }: PutCommandInput): Answer<'put'> =>
      attributesOf(serve(() => actions.PutItem({ ...withItems(input), Item: toItem(Item) }))),
    update: ({ Key, UpdateExpression = '', ...input }: UpdateCommandInput): Answer<'update'> =>
      attributesOf(serve(() => actions.UpdateItem({ ...withItems(input), UpdateExpression, Key: toItem(Key) }))),
    query: ({
      ExclusiveStartKey: start,
      KeyConditionExpression = '',
      ...input
    }: QueryCommandInput): Answer<'query'> => {
      const after = start === undefined ? {} : { ExclusiveStartKey: toItem(start) };
      const {
        Items,
        LastEvaluatedKey: last,
        ...counts
      } = serve(() => actions.Query({ ...withItems(input), KeyConditionExpression, ...after }));
      return {
        ...counts,
        ...(Items === undefined ? {} : { Items: Items.map(fromItem) }),
        ...(last === undefined ? {} : { LastEvaluatedKey: fromItem(last) }),
      };
    },
    transactWrite: ({ TransactItems = [], ...input }: TransactWriteCommandInput): void => {
      const parts = TransactItems.map(toPart);
      serve(() => actions.TransactWriteItems({ ...input, TransactItems: parts }));
    },
    batchGet: ({ RequestItems = {} }: BatchGetCommandInput): Answer<'batchGet'> => {
      const requests = Object.entries(RequestItems).map(
        ([table, { Keys = [], ...rest }]) => [table, { ...rest, Keys: Keys.map(toItem) }] as const,
      );
      const { Responses, UnprocessedKeys } = serve(() =>
        actions.BatchGetItem({ RequestItems: Object.fromEntries(requests) }),
      );
      if (Object.keys(UnprocessedKeys).length > 0) throw new Error('No test in process reads over 1 MB of a partition');
      const found = Object.entries(Responses).map(([table, items]) => [table, items.map(fromItem)] as const);
      return { Responses: Object.fromEntries(found) };
    },
    batchWrite: ({ RequestItems = {} }: BatchWriteCommandInput): Answer<'batchWrite'> => {
      const requests = Object.entries(RequestItems).map(([table, writes]) => [
        table,
        writes.map(({ PutRequest: put, DeleteRequest: deletion }) =>
          put === undefined
            ? { DeleteRequest: { Key: toItem(deletion?.Key) } }
            : { PutRequest: { Item: toItem(put.Item) } },
        ),
      ]);
      serve(() => actions.BatchWriteItem({ RequestItems: Object.fromEntries(requests) }));
      return {};
    },
    executeBatch: ({ Statements = [] }: BatchExecuteStatementCommandInput): Answer<'executeBatch'> => {
      const statements = Statements.map(({ Statement = '', Parameters = [] }) => ({
        Statement,
        Parameters: Parameters.map(toValue),
      }));
      const { Responses } = serve(() => actions.BatchExecuteStatement({ Statements: statements }));
      return {
        Responses: Responses.map(({ Item, ...rest }) => ({
          ...rest,
          ...(Item === undefined ? {} : { Item: fromItem(Item) }),
        })),
      };
    },
  };
}

type Answer<Operation extends keyof TableClient> = Awaited<ReturnType<TableClient[Operation]>>;

/**
 * The table client of the adapters, on a DynamoDB in this process: without HTTP and the SDK, which take ten times as
 * long as the table itself.
 *
 * @param ask makes each request. Default: it is answered at once
 */
export function inProcessTableClient(
  actions: TableActions,
  ask: <T>(name: string, act: () => T, input: unknown) => Promise<T> = async (_name, act) => act(),
): TableClient {
  const asking =
    <I, A>(act: (input: I) => A, nameOf: (input: I) => string) =>
    (input: I, { onSent }: { readonly onSent?: () => void } = {}) => {
      onSent?.();
      return ask(nameOf(input), () => act(input), input);
    };
  return {
    get: asking(actions.get, ({ Key }) => `get ${kindOf(Key)}`),
    put: asking(actions.put, ({ Item }) => `put ${kindOf(Item)}`),
    update: asking(actions.update, ({ Key }) => `update ${kindOf(Key)}`),
    query: asking(
      actions.query,
      ({ ExpressionAttributeValues: values = {} }) => `query ${kindOf({ pk: Object.values(values)[0] })}`,
    ),
    transactWrite: asking(actions.transactWrite, () => 'transaction'),
    batchGet: asking(actions.batchGet, () => 'batch get'),
    batchWrite: asking(actions.batchWrite, () => 'batch write'),
    executeBatch: asking(actions.executeBatch, () => 'statements'),
    close: () => {},
  };
}

/** For example `DLV`, so that a request is named `update DLV`. */
function kindOf(key: Native | undefined): string {
  return `${String(key?.pk).split('#')[0]}`;
}

/** Throws what the SDK throws. A refusal is an answer like others, and its stack would take longer than the request. */
function serve<T>(act: () => T): T {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return act();
  } catch (error) {
    if (!(error instanceof AwsError)) throw error;
    const { code, message, members } = error;
    const given = { message, $metadata: {}, ...members };
    if (code === 'ConditionalCheckFailedException') throw new ConditionalCheckFailedException(given);
    if (code === 'TransactionCanceledException') throw new TransactionCanceledException(given);
    if (code === 'IdempotentParameterMismatchException') throw new IdempotentParameterMismatchException(given);
    throw error;
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

type Part = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

function toPart({ Put, Update, Delete, ConditionCheck: check }: Part) {
  if (Put) return { Put: { ...withItems(Put), Item: toItem(Put.Item) } };
  if (Delete) return { Delete: { ...withItems(Delete), Key: toItem(Delete.Key) } };
  if (check) {
    const { ConditionExpression = '' } = check;
    return { ConditionCheck: { ...withItems(check), ConditionExpression, Key: toItem(check.Key) } };
  }
  const { UpdateExpression = '' } = Update ?? {};
  return {
    Update: { ...withItems(Update ?? { TableName: '' }), UpdateExpression, Key: toItem(Update?.Key) },
  };
}

type Values = {
  readonly TableName: string | undefined;
  readonly ExpressionAttributeValues?: Native | undefined;
};

function withItems<T extends Values>({ TableName = '', ExpressionAttributeValues: values, ...input }: T) {
  return { ...input, TableName, ExpressionAttributeValues: values && toItem(values) };
}

function attributesOf({ Attributes }: { readonly Attributes?: Item }) {
  return Attributes === undefined ? {} : { Attributes: fromItem(Attributes) };
}

/** Leaves out what is undefined, as the client does. */
export function toItem(native: Native = {}): Item {
  const item: Record<string, AttributeValue> = {};
  for (const name in native) if (native[name] !== undefined) item[name] = toValue(native[name]);
  return item;
}

function toValue(value: NativeAttributeValue): AttributeValue {
  if (typeof value === 'string') return { S: value };
  if (typeof value === 'number' && Number.isFinite(value)) return { N: String(value) };
  if (typeof value === 'boolean') return { BOOL: value };
  if (value === null) return { NULL: true };
  if (Array.isArray(value)) return { L: value.map(toValue) };
  if (value instanceof Set) return { SS: [...value].map(String) };
  if (typeof value === 'object') return { M: toItem(value) };
  throw new TypeError(`The table client cannot send ${String(value)}`);
}

export function fromItem(item: Item): Record<string, NativeAttributeValue> {
  const native: Record<string, NativeAttributeValue> = {};
  for (const name in item) native[name] = fromValue(item[name]);
  return native;
}

function fromValue(value: AttributeValue | undefined): NativeAttributeValue {
  if (value === undefined || 'NULL' in value) return null;
  if ('S' in value) return value.S;
  if ('N' in value) return Number(value.N);
  if ('BOOL' in value) return value.BOOL;
  if ('L' in value) return value.L.map(fromValue);
  if ('M' in value) return fromItem(value.M);
  if ('SS' in value) return new Set(value.SS);
  throw new TypeError(`No adapter stores ${JSON.stringify(value)}`);
}
