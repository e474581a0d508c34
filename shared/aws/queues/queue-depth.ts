import { GetQueueAttributesCommand, type SQSClient } from '@aws-sdk/client-sqs';
import * as z from 'zod';
import type { AreQueuesEmpty } from '#shared/operations/delivery/audit-deliveries.ts';

/** All three counts are required: a missing one would make a queue look empty. */
const queueCounts = z.object({
  ApproximateNumberOfMessages: z.coerce.number(),
  ApproximateNumberOfMessagesNotVisible: z.coerce.number(),
  ApproximateNumberOfMessagesDelayed: z.coerce.number(),
});

/** Whether all queues are empty according to SQS, whose counts are approximate and some seconds old. */
export function areQueuesEmpty(client: SQSClient, queueUrls: readonly string[]): AreQueuesEmpty {
  return async () => {
    const depths = await Promise.all(queueUrls.map((url) => countMessages(client, url)));
    return depths.every((depth) => depth === 0);
  };
}

async function countMessages(client: SQSClient, QueueUrl: string): Promise<number> {
  const { Attributes } = await client.send(
    new GetQueueAttributesCommand({ QueueUrl, AttributeNames: queueCounts.keyof().options }),
  );
  return Object.values(queueCounts.parse(Attributes)).reduce((sum, count) => sum + count, 0);
}
