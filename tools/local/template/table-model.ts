import { z } from 'zod';

const keySchema = z.array(z.object({ AttributeName: z.string(), KeyType: z.enum(['HASH', 'RANGE']) }));

const projectionSchema = z.object({
  ProjectionType: z.string(),
  NonKeyAttributes: z.array(z.string()).optional(),
});

const secondaryIndexesSchema = z.array(
  z.object({ IndexName: z.string(), KeySchema: keySchema, Projection: projectionSchema }),
);

/** The properties of a table resource that the DynamoDB emulator needs. Omits others, such as time to live and tags. */
const tableSchema = z.object({
  KeySchema: keySchema,
  AttributeDefinitions: z.array(
    z.object({ AttributeName: z.string(), AttributeType: z.enum(['S', 'N', 'B']) }),
  ),
  GlobalSecondaryIndexes: secondaryIndexesSchema.optional(),
  LocalSecondaryIndexes: secondaryIndexesSchema.optional(),
});

/** A table, as the input of DynamoDB's CreateTable. */
export type TableModel = z.infer<typeof tableSchema> & {
  readonly TableName: string;
  readonly BillingMode: 'PAY_PER_REQUEST';
};

export function tableModel(tableName: string, properties: unknown): TableModel {
  return { TableName: tableName, BillingMode: 'PAY_PER_REQUEST', ...tableSchema.parse(properties) };
}
