import { problem } from '#shared/contract/problem.ts';
import { type BulkReplay, type BulkReplayKey, isExpired } from '#shared/domain/bulk-replay.ts';
import type { Clock } from '#shared/operations/ports.ts';
import type { ReadBulkReplay } from './ports.ts';

type Deps = { readonly now: Clock; readonly readBulkReplay: ReadBulkReplay };

/** One bulk replay. @throws Problem `not_found` */
export function getReplay({ now, readBulkReplay }: Deps) {
  return async (key: BulkReplayKey): Promise<BulkReplay> => unexpired(await readBulkReplay(key), now());
}

/** The job, unless its time has passed: the table removes it later. @throws Problem `not_found` */
export function unexpired(job: BulkReplay | null, now: number): BulkReplay {
  if (job === null || isExpired(job, now)) throw problem('not_found');
  return job;
}
