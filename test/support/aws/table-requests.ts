import * as z from 'zod';
import { tableSchema } from '#shared/contract/table-schema.ts';
import { readStatements } from '../../../tools/bench/meter/statement.ts';
import type { AccessRequest } from './policy-evaluator.ts';

const keyOf = z
  .looseObject({ [tableSchema.partitionKey]: z.object({ S: z.string() }) })
  .transform((item) => z.object({ S: z.string() }).parse(item[tableSchema.partitionKey]).S);
const onTable = z.looseObject({ TableName: z.string() });
const single = z.looseObject({ Key: keyOf.optional(), Item: keyOf.optional() });
const batchGet = z.record(z.string(), z.looseObject({ Keys: z.array(keyOf) }));
const batchWrite = z.record(z.string(), z.array(z.partialRecord(z.enum(['PutRequest', 'DeleteRequest']), single)));
const query = z.looseObject({
  TableName: z.string(),
  IndexName: z.string().optional(),
  Select: z.string().optional(),
  ProjectionExpression: z.string().default(''),
  KeyConditionExpression: z.string(),
  ExpressionAttributeValues: z.record(z.string(), z.unknown()),
});
const expressions = z.looseObject({
  UpdateExpression: z.string().default(''),
  ConditionExpression: z.string().default(''),
  ExpressionAttributeNames: z.record(z.string(), z.string()).default({}),
});
const transaction = z.array(z.record(z.string(), z.unknown()));

/** The action that each kind of write in a transaction needs. */
const actionsOfParts: Readonly<Record<string, string>> = {
  Put: 'PutItem',
  Update: 'UpdateItem',
  Delete: 'DeleteItem',
  ConditionCheck: 'ConditionCheckItem',
};

/**
 * The questions that one call of DynamoDB's API puts to IAM. All keys of a batch belong to one question. So do those of
 * a transaction, for each kind of write in it: the stricter reading.
 *
 * @throws for a call that this file does not know
 */
export function accessRequests(action: string, input: unknown): readonly AccessRequest[] {
  const question = questions[action];
  if (question === undefined) throw new Error(`Cannot tell what ${action} needs to be allowed`);
  return question(action, input);
}

const keyIn = ({ Key, Item }: z.output<typeof single>) => [Key ?? Item ?? []].flat();

type Question = (action: string, input: unknown) => readonly AccessRequest[];

const ofOneItem: Question = (action, input) => {
  const asked = ask(action, onTable.parse(input).TableName, keyIn(single.parse(input)));
  if (action !== 'UpdateItem') return [asked];
  return [{ ...asked, context: { ...asked.context, 'dynamodb:Attributes': attributesIn(input) } }];
};

/** Words of an expression that are neither attributes nor values. */
const words =
  /^(SET|REMOVE|ADD|DELETE|AND|OR|NOT|IN|BETWEEN|(attribute_(not_)?exists|attribute_type|if_not_exists|list_append|begins_with|contains|size)\()$/i;

/** The attributes that an update names, including those of the key. */
function attributesIn(input: unknown): readonly string[] {
  const { UpdateExpression, ConditionExpression, ExpressionAttributeNames } = expressions.parse(input);
  const found = `${UpdateExpression} ${ConditionExpression}`.matchAll(/(?<![:\w#])#?[a-z_]\w*\(?/gi);
  const names = [...found].flatMap(([text]) => (words.test(text) ? [] : [ExpressionAttributeNames[text] ?? text]));
  return [...new Set([tableSchema.partitionKey, tableSchema.sortKey, ...names])].toSorted();
}

const questions: Readonly<Record<string, Question>> = {
  GetItem: ofOneItem,
  PutItem: ofOneItem,
  UpdateItem: ofOneItem,
  DeleteItem: ofOneItem,
  Query: (action, input) => {
    const { TableName, IndexName, Select, ProjectionExpression } = query.parse(input);
    const index = IndexName === undefined ? '' : `/index/${IndexName}`;
    const asked = ask(action, `${TableName}${index}`, [queriedPartition(input)]);
    if (Select === undefined) return [asked];
    const attributes = [tableSchema.partitionKey, ...ProjectionExpression.split(', ')];
    const named = { 'dynamodb:Attributes': attributes, 'dynamodb:Select': [Select] };
    return [{ ...asked, context: { ...asked.context, ...named } }];
  },
  BatchGetItem: (action, input) => {
    const { RequestItems } = z.looseObject({ RequestItems: batchGet }).parse(input);
    return Object.entries(RequestItems).map(([table, { Keys }]) => ask(action, table, Keys));
  },
  BatchWriteItem: (action, input) => {
    const { RequestItems } = z.looseObject({ RequestItems: batchWrite }).parse(input);
    return Object.entries(RequestItems).map(([table, writes]) =>
      ask(action, table, writes.flatMap(Object.values).flatMap(keyIn)),
    );
  },
  BatchExecuteStatement: (_, input) =>
    readStatements(input).map(({ kind, table, item }) =>
      ask(kind === 'INSERT' ? 'PartiQLInsert' : 'PartiQLUpdate', table, [keyOf.parse(item)]),
    ),
  TransactWriteItems: (_, input) => {
    const { TransactItems } = z.looseObject({ TransactItems: transaction }).parse(input);
    const parts = TransactItems.flatMap((item) => Object.entries(item)).flatMap(([part, write]) =>
      ofOneItem(actionsOfParts[part] ?? part, write),
    );
    return [...Map.groupBy(parts, ({ action, resource }) => `${action} ${resource}`).values()].flatMap(united);
  },
};

function ask(action: string, table: string, leadingKeys: readonly string[]): AccessRequest {
  return {
    action: `dynamodb:${action}`,
    resource: table,
    ...(leadingKeys.length === 0 ? {} : { context: { 'dynamodb:LeadingKeys': leadingKeys } }),
  };
}

/** The condition on the partition key comes first in each key condition; any other attribute gives another name. */
function queriedPartition(input: unknown): string {
  const { KeyConditionExpression, ExpressionAttributeValues } = query.parse(input);
  const [, value = ''] = /^\w+ = (:\w+)/.exec(KeyConditionExpression) ?? [];
  return z.object({ S: z.string() }).parse(ExpressionAttributeValues[value]).S;
}

function united(requests: readonly AccessRequest[]): readonly AccessRequest[] {
  const [first] = requests;
  if (first === undefined) return [];
  const all = (key: string) => [...new Set(requests.flatMap(({ context }) => context?.[key] ?? []))];
  const context = Object.fromEntries(Object.keys(first.context ?? {}).map((key) => [key, all(key)]));
  return [{ ...first, context }];
}
