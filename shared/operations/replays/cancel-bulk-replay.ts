import { endBulkReplay } from '#shared/aws/table/replays/bulk-replays.ts';
import type { BulkReplay, BulkReplayKey } from '#shared/domain/bulk-replay.ts';
import { found } from '#shared/operations/found.ts';
import type { Needs } from '#shared/operations/needs.ts';

type Deps = Pick<Needs, 'table' | 'now'>;

/**
 * Cancels a running bulk replay. A step in progress finishes, and replays already queued are still sent: that takes about
 * ten seconds. A job that has ended stays as it is. The message of its next step reports the end.
 *
 * @returns the job, and whether this call ended it. Another try of a call, with the same `at`, ended it too
 * @throws Problem `not_found`
 */
export function cancelBulkReplay({ table, now }: Deps) {
  return async (key: BulkReplayKey, at = now()): Promise<{ readonly job: BulkReplay; readonly ended: boolean }> => {
    const { job, ended } = await endBulkReplay(table, key, { status: 'cancelled', reason: 'requested', at });
    return { job: found(job), ended };
  };
}
