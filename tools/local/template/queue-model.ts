import { z } from 'zod';

/** Attributes that a queue resource and SQS's SetQueueAttributes have in common. */
const attributesSchema = z.object({
  VisibilityTimeout: z.coerce.string().optional(),
  MessageRetentionPeriod: z.coerce.string().optional(),
  DelaySeconds: z.coerce.string().optional(),
  MaximumMessageSize: z.coerce.string().optional(),
  ReceiveMessageWaitTimeSeconds: z.coerce.string().optional(),
  RedrivePolicy: z
    .object({ deadLetterTargetArn: z.string(), maxReceiveCount: z.coerce.number() })
    .transform((policy) => JSON.stringify(policy))
    .optional(),
});

export type QueueModel = {
  readonly name: string;
  readonly arn: string;
  readonly url: string;
  /** Input of SetQueueAttributes. */
  readonly attributes: Readonly<Record<string, string>>;
};

export function queueModel(
  names: { readonly name: string; readonly arn: string; readonly url: string },
  properties: unknown,
): QueueModel {
  return { ...names, attributes: definedOnly(attributesSchema.parse(properties)) };
}

function definedOnly(attributes: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(attributes).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
