import { z } from 'zod';

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

export function queueModel(
  names: { readonly name: string; readonly arn: string; readonly url: string },
  properties: unknown,
): QueueModel {
  return { ...names, attributes: attributesSchema.parse(properties) };
}
