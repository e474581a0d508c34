import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

/** Calls `onLine` for each line of the stream. Reading also keeps the stream's buffer from filling up. */
export function forwardLines(stream: Readable, onLine: (line: string) => void): void {
  createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY }).on('line', onLine);
}
