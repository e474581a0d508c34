import { z } from 'zod';
import type { InvokeResult } from '../lambda/protocol.ts';
import type { QueueMessage } from './sqs-records.ts';

const partialFailureSchema = z.object({
  batchItemFailures: z.array(z.object({ itemIdentifier: z.string().min(1) })).nullish(),
});

/**
 * The messages of a batch to delete; SQS delivers the others again after the visibility timeout.
 *
 * A function error fails the whole batch. If the mapping reports item failures, a malformed result, or one that names a
 * message outside the batch, also fails the whole batch.
 */
export function completedMessages(
  messages: readonly QueueMessage[],
  result: InvokeResult,
  reportsBatchItemFailures: boolean,
): readonly QueueMessage[] {
  if (!result.ok) return [];
  if (!reportsBatchItemFailures || result.payload === null) return messages;
  const parsed = partialFailureSchema.safeParse(result.payload);
  if (!parsed.success) return [];
  const failed = new Set((parsed.data.batchItemFailures ?? []).map(({ itemIdentifier }) => itemIdentifier));
  const known = new Set(messages.map(({ MessageId }) => MessageId));
  if ([...failed].some((id) => !known.has(id))) return [];
  return messages.filter(({ MessageId }) => !failed.has(MessageId));
}
