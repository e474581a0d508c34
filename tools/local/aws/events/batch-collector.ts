import { setTimeout as sleep } from 'node:timers/promises';
import type { EventSourceMapping } from '../../template/function-model.ts';
import type { QueueReader } from './queue-reader.ts';
import type { QueueMessage } from './sqs-records.ts';

const longPollMs = 20_000;
const restPollMs = 100;

/** Lambda's limit of an event in bytes, and an estimate of what a record adds to its body and attributes. */
const payloadBytes = { event: 6 * 1024 * 1024, record: 1_024 } as const;

export type CollectRequest = {
  readonly mapping: EventSourceMapping;
  readonly queue: QueueReader;
  readonly signal: AbortSignal;
  /** Called with the first messages. */
  readonly onFirst: () => void;
};

/**
 * Waits for a first message, then for more until the batch is full, the batching window ends or the event would be too
 * large.
 *
 * @returns no batch when no message came; several when the messages are too large for one event
 */
export async function collectBatch(request: CollectRequest): Promise<readonly QueueMessage[][]> {
  const { mapping, queue, signal, onFirst } = request;
  const messages = [...(await queue.receive(mapping.batchSize, longPollMs, signal))];
  if (messages.length === 0) return [];
  onFirst();
  let bytes = sizeOf(messages);
  const end = performance.now() + mapping.batchingWindowSeconds * 1_000;
  while (messages.length < mapping.batchSize && bytes < payloadBytes.event) {
    const remainingMs = end - performance.now();
    if (remainingMs <= 0) break;
    const more = await receiveMore(request, mapping.batchSize - messages.length, remainingMs);
    if (more === undefined) break;
    messages.push(...more);
    bytes += sizeOf(more);
  }
  return split(messages);
}

/**
 * SQS waits for whole seconds, so the rest of a window is polled.
 *
 * @returns `undefined` when the queue cannot be reached or the poller closes: the messages that came before would
 *   otherwise stay in flight until their visibility timeout
 */
async function receiveMore(
  { queue, signal }: CollectRequest,
  count: number,
  remainingMs: number,
): Promise<readonly QueueMessage[] | undefined> {
  const waitMs = Math.floor(remainingMs / 1_000) * 1_000;
  try {
    const messages = await queue.receive(count, waitMs, signal);
    if (messages.length === 0 && waitMs === 0)
      await sleep(Math.min(restPollMs, remainingMs), undefined, { signal });
    return messages;
  } catch {
    return undefined;
  }
}

function split(messages: readonly QueueMessage[]): QueueMessage[][] {
  const batches: QueueMessage[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const message of messages) {
    const size = sizeOf([message]);
    const last = batches.at(-1);
    if (last === undefined || bytes + size > payloadBytes.event) {
      batches.push([message]);
      bytes = size;
    } else {
      last.push(message);
      bytes += size;
    }
  }
  return batches;
}

function sizeOf(messages: readonly QueueMessage[]): number {
  let bytes = 0;
  for (const { Body } of messages) bytes += Buffer.byteLength(Body) + payloadBytes.record;
  return bytes;
}
