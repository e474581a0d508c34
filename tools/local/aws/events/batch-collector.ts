import type { EventSourceMapping } from '../../template/function-model.ts';
import type { QueueReader } from './queue-reader.ts';
import type { QueueMessage } from './sqs-records.ts';

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
  { batchSize, batchingWindowSeconds }: EventSourceMapping,
  queue: QueueReader,
  signal: AbortSignal,
): Promise<readonly QueueMessage[][]> {
  const messages = [...(await queue.receive(batchSize, longPollSeconds, signal))];
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
  return split(messages);
}

function split(messages: readonly QueueMessage[]): QueueMessage[][] {
  const batches: QueueMessage[][] = [];
  for (const message of messages) {
    const last = batches.at(-1);
    if (last === undefined || bytesOf([...last, message]) > payloadBytes.event) batches.push([message]);
    else last.push(message);
  }
  return batches;
}

function bytesOf(messages: readonly QueueMessage[]): number {
  let bytes = 0;
  for (const { Body } of messages) bytes += Buffer.byteLength(Body) + payloadBytes.record;
  return bytes;
}
