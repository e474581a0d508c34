import type { InvocationRecord } from '../../local/aws/lambda/invocation-record.ts';
import { attemptTimeoutMs } from './scenario.ts';

/** What the invocations of one function cost in which an attempt timed out. */
export type Billed = {
  /** Folder of the function. */
  readonly folder: string;
  readonly invocations: number;
  readonly messages: number;
  /** Duration times memory, by message. */
  readonly gbMsPerMessage: number;
};

/** An attempt may end a little before its time is over, because timers are rounded. */
const toleranceMs = 100;

/** @returns one entry for each function, and one for all of them as `all`; empty when no attempt timed out */
export function billedTimeouts(records: readonly InvocationRecord[]): readonly Billed[] {
  const timedOut = records.filter(
    ({ folder, durationMs }) =>
      folder.startsWith('queue/deliver') && durationMs >= attemptTimeoutMs - toleranceMs,
  );
  if (timedOut.length === 0) return [];
  const folders = [...new Set(timedOut.map(({ folder }) => folder))].sort();
  return [
    ...folders.map((folder) =>
      billed(
        folder,
        timedOut.filter((record) => record.folder === folder),
      ),
    ),
    billed('all', timedOut),
  ];
}

function billed(folder: string, records: readonly InvocationRecord[]): Billed {
  const messages = sum(records.map((record) => record.records));
  const gbMs = sum(records.map(({ durationMs, memoryMegabytes }) => (durationMs * memoryMegabytes) / 1_024));
  return { folder, invocations: records.length, messages, gbMsPerMessage: gbMs / messages };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
