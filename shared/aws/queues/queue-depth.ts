import { GetQueueAttributesCommand, type SQSClient } from '@aws-sdk/client-sqs';
import * as z from 'zod/mini';
import type { AreQueuesEmpty } from '#shared/operations/delivery/audit-deliveries.ts';

/** All three counts are required: a missing one would make a queue look empty. */
const queueCounts = z.object({
  ApproximateNumberOfMessages: z.coerce.number(),
  ApproximateNumberOfMessagesNotVisible: z.coerce.number(),
  ApproximateNumberOfMessagesDelayed: z.coerce.number(),
});

/** Message counts of a queue: `waiting` are visible, `held` are in flight. */
type QueueCounts = { readonly waiting: number; readonly held: number; readonly delayed: number };

/** Whether all queues are empty according to SQS, whose counts are approximate and some seconds old. */
export function areQueuesEmpty(client: SQSClient, queueUrls: readonly string[]): AreQueuesEmpty {
  return async () => {
    const depths = await Promise.all(queueUrls.map((url) => countMessages(client, url)));
    return depths.every(({ waiting, held, delayed }) => waiting + held + delayed === 0);
  };
}

export async function countMessages(client: SQSClient, QueueUrl: string): Promise<QueueCounts> {
  const { Attributes } = await client.send(
    new GetQueueAttributesCommand({ QueueUrl, AttributeNames: z.keyof(queueCounts).options }),
  );
  const counts = queueCounts.parse(Attributes);
  return {
    waiting: counts.ApproximateNumberOfMessages,
    held: counts.ApproximateNumberOfMessagesNotVisible,
    delayed: counts.ApproximateNumberOfMessagesDelayed,
  };
}
