import type { Table } from '#shared/aws/clients.ts';
import { putAll } from '#shared/aws/table/batches.ts';
import { backoff } from '#shared/runtime/system.ts';
import type { StoredItem } from './items.ts';

/** Concurrent writers: more than the emulator has work for. */
const lanes = 4;
const chunkSize = 100;

/** Writes items in batches. @param onWritten called with the number of items written so far */
export async function load(
  table: Table,
  items: Iterator<StoredItem>,
  signal: AbortSignal,
  onWritten: (count: number) => void,
): Promise<void> {
  let written = 0;
  const writeRest = async (): Promise<void> => {
    for (let chunk = take(items); chunk.length > 0; chunk = take(items)) {
      signal.throwIfAborted();
      await putAll(table, chunk, backoff);
      written += chunk.length;
      onWritten(written);
    }
  };
  await Promise.all(Array.from({ length: lanes }, writeRest));
}

function take(items: Iterator<StoredItem>): readonly StoredItem[] {
  const chunk: StoredItem[] = [];
  while (chunk.length < chunkSize) {
    const { value, done } = items.next();
    if (done === true) break;
    chunk.push(value);
  }
  return chunk;
}
