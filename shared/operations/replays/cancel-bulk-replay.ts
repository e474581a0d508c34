import type { Table } from '#shared/aws/clients.ts';
import type { Backoff } from '#shared/aws/table/backoff.ts';
import { endBulkReplay } from '#shared/aws/table/replays/bulk-replays.ts';
import type { BulkReplay, BulkReplayKey } from '#shared/domain/bulk-replay.ts';
import { found } from '#shared/operations/found.ts';
import type { Clock } from '#shared/operations/ports.ts';

type Deps = { readonly table: Table; readonly backoff: Backoff; readonly now: Clock };

/**
 * Cancels a running bulk replay. A step in progress finishes, and replays already queued are still sent: that takes about
 * ten seconds. A job that has ended stays as it is. The message of its next step reports the end.
 *
 * @throws Problem `not_found`
 */
export function cancelBulkReplay({ table, backoff, now }: Deps) {
  return async (key: BulkReplayKey): Promise<BulkReplay> => {
    const end = { status: 'cancelled', reason: 'requested', at: now() } as const;
    const { job } = await endBulkReplay(table, key, end, backoff);
    return found(job);
  };
}
