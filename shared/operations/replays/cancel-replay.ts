import type { BulkReplay, BulkReplayKey } from '#shared/domain/bulk-replay.ts';
import type { Clock } from '#shared/operations/ports.ts';
import type { EndBulkReplay } from './ports.ts';
import { unexpired } from './read-replay.ts';

type Deps = {
  readonly now: Clock;
  readonly endBulkReplay: EndBulkReplay;
};

/**
 * Cancels a running bulk replay. A step that is running ends first, and replays on a queue are sent: they take about ten
 * seconds. A job that has ended stays as it is. The message of its next step reports the end.
 *
 * @throws Problem `not_found`
 */
export function cancelReplay(deps: Deps) {
  return async (key: BulkReplayKey): Promise<BulkReplay> => {
    const at = deps.now();
    const { job } = await deps.endBulkReplay(key, {
      status: 'cancelled',
      reason: 'requested',
      at,
    });
    return unexpired(job, at);
  };
}
