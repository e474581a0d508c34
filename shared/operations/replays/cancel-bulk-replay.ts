import type { BulkReplay, BulkReplayKey } from '#shared/domain/bulk-replay.ts';
import { found } from '#shared/operations/found.ts';
import type { Clock } from '#shared/operations/ports.ts';
import type { EndBulkReplay } from './ports.ts';

type Deps = { readonly now: Clock; readonly endBulkReplay: EndBulkReplay };

/**
 * Cancels a running bulk replay. A step in progress finishes, and replays already queued are still sent: that takes about
 * ten seconds. A job that has ended stays as it is. The message of its next step reports the end.
 *
 * @throws Problem `not_found`
 */
export function cancelBulkReplay(deps: Deps) {
  return async (key: BulkReplayKey): Promise<BulkReplay> => {
    const { job } = await deps.endBulkReplay(key, {
      status: 'cancelled',
      reason: 'requested',
      at: deps.now(),
    });
    return found(job);
  };
}
