import type { Table } from '#shared/aws/clients.ts';
import { readEndedReplays } from '#shared/aws/table/replays/replay-tallies.ts';
import type { BulkReplay } from '#shared/domain/bulk-replay.ts';
import { type CountedReplay, outcomesOf } from '#shared/domain/replay-outcomes.ts';

/** A bulk replay with how its replays have ended so far. A job that has made none costs no read. */
export async function countOutcomes(table: Table, job: BulkReplay): Promise<CountedReplay> {
  if (!job.isTallied) return { ...job, outcomes: null };
  const none = { delivered: 0, failed: 0 };
  const ended = job.replayed === 0 ? none : await readEndedReplays(table, job);
  return { ...job, outcomes: outcomesOf(job, ended) };
}
