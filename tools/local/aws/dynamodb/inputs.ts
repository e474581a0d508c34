import { z } from 'zod';

/** The parameters of each action on items that this project uses. Any other one is refused, because it would have no effect. */

const TableName = z.string();
const ReturnConsumedCapacity = z.enum(['NONE', 'TOTAL', 'INDEXES']).optional();
const attributes = z.custom<Readonly<Record<string, unknown>>>(
  (given) => typeof given === 'object' && given !== null && !Array.isArray(given),
);
/** Of a request about several tables, by their names. */
const ofTables = <T extends z.ZodType>(requests: T) =>
  z
    .record(z.string(), requests)
    .refine((given) => Object.keys(given).length > 0, 'A batch must have at least one request');
const placeholders = {
  ExpressionAttributeNames: z.record(z.string(), z.string()).optional(),
  ExpressionAttributeValues: z.unknown().optional(),
};
const conditional = {
  TableName,
  ConditionExpression: z.string().optional(),
  ReturnValuesOnConditionCheckFailure: z.enum(['NONE', 'ALL_OLD']).optional(),
  ...placeholders,
};
const page = {
  TableName,
  IndexName: z.string().optional(),
  FilterExpression: z.string().optional(),
  ProjectionExpression: z.string().optional(),
  Limit: z.int().min(1).optional(),
  ExclusiveStartKey: z.unknown().optional(),
  ConsistentRead: z.boolean().optional(),
  Select: z.enum(['ALL_ATTRIBUTES', 'ALL_PROJECTED_ATTRIBUTES', 'SPECIFIC_ATTRIBUTES', 'COUNT']).optional(),
  ReturnConsumedCapacity,
  ...placeholders,
};

const put = z.strictObject({ ...conditional, Item: attributes });
const remove = z.strictObject({ ...conditional, Key: attributes });
const update = z.strictObject({ ...conditional, Key: attributes, UpdateExpression: z.string() });
const check = z.strictObject({ ...conditional, Key: attributes, ConditionExpression: z.string() });
const returned = { ReturnConsumedCapacity, ReturnValues: z.enum(['NONE', 'ALL_OLD']).optional() };
const returnedByUpdate = {
  ReturnConsumedCapacity,
  ReturnValues: z.enum(['NONE', 'ALL_OLD', 'UPDATED_OLD', 'ALL_NEW', 'UPDATED_NEW']).optional(),
};
const keys = z.strictObject({
  Keys: z.array(attributes).min(1),
  ConsistentRead: z.boolean().optional(),
  ProjectionExpression: z.string().optional(),
  ExpressionAttributeNames: z.record(z.string(), z.string()).optional(),
});
const batchWrite = z.union([
  z.strictObject({ PutRequest: z.strictObject({ Item: attributes }) }),
  z.strictObject({ DeleteRequest: z.strictObject({ Key: attributes }) }),
]);

/** One write of a transaction. */
const part = z.union([
  z.strictObject({ Put: put }),
  z.strictObject({ Update: update }),
  z.strictObject({ Delete: remove }),
  z.strictObject({ ConditionCheck: check }),
]);

export const inputs = {
  DescribeTable: z.strictObject({ TableName }),
  DeleteTable: z.strictObject({ TableName }),
  GetItem: z.strictObject({
    TableName,
    Key: attributes,
    ConsistentRead: z.boolean().optional(),
    ProjectionExpression: z.string().optional(),
    ExpressionAttributeNames: placeholders.ExpressionAttributeNames,
    ReturnConsumedCapacity,
  }),
  PutItem: put.extend(returned),
  DeleteItem: remove.extend(returned),
  UpdateItem: update.extend(returnedByUpdate),
  Query: z.strictObject({
    ...page,
    KeyConditionExpression: z.string(),
    ScanIndexForward: z.boolean().optional(),
  }),
  Scan: z.strictObject({
    ...page,
    Segment: z.int().optional(),
    TotalSegments: z.int().min(1).optional(),
  }),
  BatchGetItem: z.strictObject({ RequestItems: ofTables(keys), ReturnConsumedCapacity }),
  BatchWriteItem: z.strictObject({
    RequestItems: ofTables(z.array(batchWrite).min(1)),
    ReturnConsumedCapacity,
  }),
  TransactWriteItems: z.strictObject({
    TransactItems: z.array(part).min(1).max(100),
    ClientRequestToken: z.string().min(1).max(36).optional(),
    ReturnConsumedCapacity,
  }),
  BatchExecuteStatement: z.strictObject({
    Statements: z
      .array(z.strictObject({ Statement: z.string(), Parameters: z.array(z.unknown()).optional() }))
      .min(1)
      .max(25),
    ReturnConsumedCapacity,
  }),
};

export type Input<Action extends keyof typeof inputs> = z.output<(typeof inputs)[Action]>;
