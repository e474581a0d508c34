import type {
  BatchGetCommandInput,
  BatchWriteCommandInput,
  TransactWriteCommandInput,
} from '@aws-sdk/lib-dynamodb';
import type { TableClient } from '#shared/aws/table-client.ts';
import { fromAttributes, toAttributes } from './attribute-values.ts';
import type { Call } from './json-service.ts';
import { recordOf } from './service-error.ts';
import { toTableError } from './table-errors.ts';

type Item = Record<string, unknown>;

/** Members of an input that hold items, keys or values of expressions. */
const itemMembers = ['Key', 'Item', 'ExpressionAttributeValues', 'ExclusiveStartKey'] as const;

/** The operations of the table, as direct requests. */
export function tableOperations(callTable: Call, close: () => void): TableClient {
  const call = async (operation: string, input: object): Promise<Readonly<Item>> => {
    try {
      return recordOf(await callTable(operation, input));
    } catch (error) {
      throw toTableError(error);
    }
  };
  return {
    get: async (input) => itemIn(await call('GetItem', withAttributes(input)), 'Item'),
    put: async (input) => itemIn(await call('PutItem', withAttributes(input)), 'Attributes'),
    update: async (input) => itemIn(await call('UpdateItem', withAttributes(input)), 'Attributes'),
    query: async (input) => {
      const answer = await call('Query', withAttributes(input));
      const { ScannedCount } = answer;
      const read = typeof ScannedCount === 'number' ? { ScannedCount } : {};
      return { Items: itemsIn(answer.Items), ...read, ...itemIn(answer, 'LastEvaluatedKey') };
    },
    transactWrite: async (input) => void (await call('TransactWriteItems', transaction(input))),
    batchGet: async (input) => {
      const answer = await call('BatchGetItem', { ...input, RequestItems: keysToGet(input.RequestItems) });
      return { Responses: mapMembers(answer.Responses, itemsIn), UnprocessedKeys: restToGet(answer) };
    },
    batchWrite: async (input) => {
      const answer = await call('BatchWriteItem', { ...input, RequestItems: toWrite(input.RequestItems) });
      return { UnprocessedItems: restToWrite(answer) };
    },
    close,
  };
}

function withAttributes(input: object): object {
  const members = recordOf(input);
  const converted = itemMembers.flatMap((name): [string, unknown][] =>
    members[name] === undefined ? [] : [[name, toAttributes(recordOf(members[name]))]],
  );
  return { ...members, ...Object.fromEntries(converted) };
}

/** The item in a member of a response; nothing when there is none. */
function itemIn<Name extends string>(answer: Readonly<Item>, name: Name): { readonly [N in Name]?: Item };
function itemIn(answer: Readonly<Item>, name: string): Readonly<Record<string, Item>> {
  return answer[name] === undefined ? {} : { [name]: fromAttributes(answer[name]) };
}

function itemsIn(value: unknown): Item[] {
  return Array.isArray(value) ? value.map(fromAttributes) : [];
}

function transaction({ TransactItems = [], ...input }: TransactWriteCommandInput): object {
  return {
    ...input,
    TransactItems: TransactItems.map((write) => mapMembers(write, (part) => withAttributes(recordOf(part)))),
  };
}

function keysToGet(requests: BatchGetCommandInput['RequestItems'] = {}): object {
  return mapMembers(requests, (request) => {
    const { Keys, ...rest } = recordOf(request);
    return { ...rest, Keys: Array.isArray(Keys) ? Keys.map(toAttributes) : [] };
  });
}

function restToGet({ UnprocessedKeys }: Readonly<Item>) {
  return mapMembers(UnprocessedKeys, (request) => ({ Keys: itemsIn(recordOf(request).Keys) }));
}

function toWrite(requests: BatchWriteCommandInput['RequestItems'] = {}): object {
  return mapMembers(requests, (writes) =>
    Array.isArray(writes)
      ? writes.map((write) => mapMembers(write, (part) => withAttributes(recordOf(part))))
      : [],
  );
}

function restToWrite({ UnprocessedItems }: Readonly<Item>) {
  return mapMembers(UnprocessedItems, (writes) =>
    (Array.isArray(writes) ? writes : []).map((write) => {
      const { PutRequest, DeleteRequest } = recordOf(write);
      return DeleteRequest === undefined
        ? { PutRequest: { Item: fromAttributes(recordOf(PutRequest).Item) } }
        : { DeleteRequest: { Key: fromAttributes(recordOf(DeleteRequest).Key) } };
    }),
  );
}

function mapMembers<T>(value: unknown, convert: (member: unknown) => T): Record<string, T> {
  return Object.fromEntries(Object.entries(recordOf(value)).map(([name, member]) => [name, convert(member)]));
}
