import { type BulkReplay, type BulkReplayKey, isExpired } from '#shared/domain/bulk-replay.ts';
import { found } from '#shared/operations/customer/found.ts';
import type { Clock } from '#shared/operations/ports.ts';
import type { ReadBulkReplay } from './ports.ts';

/** One bulk replay. @throws Problem `not_found` */
export function getReplay({
  now,
  readBulkReplay,
}: {
  readonly now: Clock;
  readonly readBulkReplay: ReadBulkReplay;
}) {
  return async (key: BulkReplayKey): Promise<BulkReplay> =>
    found(unexpired(await readBulkReplay(key), now()));
}

/** The job, or `null` after its time: the table removes it later. */
export function unexpired(job: BulkReplay | null, now: number): BulkReplay | null {
  return job === null || isExpired(job, now) ? null : job;
}
