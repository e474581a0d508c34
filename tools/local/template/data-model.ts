import { z } from 'zod';
import type { AppResource } from './intrinsics.ts';

const keySchema = z.array(z.object({ AttributeName: z.string(), KeyType: z.enum(['HASH', 'RANGE']) }));

/** The properties of a table resource that the DynamoDB emulator needs. Omits others, such as time to live and tags. */
const tableSchema = z.object({
  KeySchema: keySchema,
  AttributeDefinitions: z.array(z.object({ AttributeName: z.string(), AttributeType: z.enum(['S', 'N', 'B']) })),
  GlobalSecondaryIndexes: z
    .array(
      z.object({
        IndexName: z.string(),
        KeySchema: keySchema,
        Projection: z.object({
          ProjectionType: z.string(),
          NonKeyAttributes: z.array(z.string()).optional(),
        }),
      }),
    )
    .optional(),
});

/** A table, as the input of DynamoDB's CreateTable. */
export type TableModel = Readonly<ReturnType<typeof tableModel>>;

export function tableModel({ ref, properties }: AppResource) {
  return { TableName: ref, BillingMode: 'PAY_PER_REQUEST', ...tableSchema.parse(properties) };
}

const attribute = z.coerce.string().exactOptional();

/** Attributes that a queue resource and SQS's SetQueueAttributes have in common. */
const attributesSchema = z.object({
  VisibilityTimeout: attribute,
  MessageRetentionPeriod: attribute,
  DelaySeconds: attribute,
  MaximumMessageSize: attribute,
  ReceiveMessageWaitTimeSeconds: attribute,
  RedrivePolicy: z
    .object({ deadLetterTargetArn: z.string(), maxReceiveCount: z.coerce.number() })
    .transform((policy) => JSON.stringify(policy))
    .exactOptional(),
});

export type QueueModel = {
  readonly name: string;
  readonly arn: string;
  readonly url: string;
  /** Input of SetQueueAttributes. */
  readonly attributes: Readonly<Record<string, string>>;
};

export function queueModel({ ref, arn, attributes, properties }: AppResource): QueueModel {
  return { name: attributes.QueueName ?? ref, arn, url: ref, attributes: attributesSchema.parse(properties) };
}
