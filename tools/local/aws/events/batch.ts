import { z } from 'zod';
import type { Pipe } from '../../template/function-model.ts';
import type { InvokeResult } from '../lambda/protocol.ts';
import type { QueueMessage, QueueReader } from './queue-reader.ts';

const longPollSeconds = 20;

/** Lambda's limit of an event in bytes, and an estimate of what a record adds to its body and attributes. */
const payloadBytes = { event: 6 * 1024 * 1024, record: 1_024 } as const;

/**
 * Waits for a first message, then for more until the batch is full, the batching window ends or the event would be too
 * large.
 *
 * @returns no batch when no message came; several when the messages are too large for one event
 */
export async function collectBatches(
  { batchSize, batchingWindowSeconds }: Pipe,
  queue: QueueReader,
  signal: AbortSignal,
): Promise<readonly QueueMessage[][]> {
  const messages = await queue.receive(batchSize, longPollSeconds, signal);
  const end = performance.now() + batchingWindowSeconds * 1_000;
  while (messages.length > 0 && messages.length < batchSize && bytesOf(messages) < payloadBytes.event) {
    // SQS waits for whole seconds.
    const waitSeconds = Math.round((end - performance.now()) / 1_000);
    if (waitSeconds <= 0 || signal.aborted) break;
    // When the queue cannot be reached, the messages that came before must not stay in flight until they time out.
    const more = await queue.receive(batchSize - messages.length, waitSeconds, signal).catch(() => undefined);
    if (more === undefined) break;
    messages.push(...more);
  }
  const batches: QueueMessage[][] = [];
  for (const message of messages) {
    const last = batches.at(-1);
    if (last === undefined || bytesOf([...last, message]) > payloadBytes.event) batches.push([message]);
    else last.push(message);
  }
  return batches;
}

function bytesOf(messages: readonly QueueMessage[]): number {
  return messages.reduce((sum, { Body }) => sum + Buffer.byteLength(Body) + payloadBytes.record, 0);
}

const partialFailureSchema = z.object({
  batchItemFailures: z
    .array(z.object({ itemIdentifier: z.string().min(1) }).transform(({ itemIdentifier }) => itemIdentifier))
    .nullish(),
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
  const failed = new Set(parsed.data.batchItemFailures);
  const known = new Set(messages.map(({ MessageId }) => MessageId));
  if ([...failed].some((id) => !known.has(id))) return [];
  return messages.filter(({ MessageId }) => !failed.has(MessageId));
}
