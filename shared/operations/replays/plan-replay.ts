import { problem } from '#shared/contract/problem.ts';
import type { BulkReplayPlan } from '#shared/contract/records/bulk-replay.ts';
import { notActive } from '#shared/operations/not-active.ts';
import type { Clock, ReadEndpoint } from '#shared/operations/ports.ts';
import { planReplays } from './plan-replays.ts';
import type { CountReplayable } from './replayable.ts';
import { pastSelection, type ReplayRequest } from './start-replay.ts';

type Deps = {
  readonly now: Clock;
  readonly readEndpoint: ReadEndpoint;
  readonly countReplayable: CountReplayable;
};

/** Milliseconds for which deliveries are counted: the answer comes within the time of a request. */
const planTime = 15_000;

/**
 * Says what a bulk replay of an active endpoint would send. The same refusals as for the bulk replay, except that one may
 * be running.
 *
 * @throws Problem `invalid_request`, `not_found`, `webhook_not_active`
 */
export function planReplay(deps: Deps) {
  const plan = planReplays(deps);
  return async (request: Omit<ReplayRequest, 'requestedBy'>): Promise<BulkReplayPlan> => {
    const begun = deps.now();
    const selection = pastSelection(request.selection, begun);
    const endpoint = await deps.readEndpoint(request.customerId, request.webhookId);
    if (endpoint === null) throw problem('not_found');
    if (endpoint.status !== 'active') throw notActive(endpoint);
    const { rate } = request;
    const planned = await plan([endpoint], { ...selection, rate }, () => deps.now() - begun < planTime);
    const replayedEarlier = planned.endpoints[0]?.skipped.replayedEarlier ?? 0;
    return { ...planned, replayedEarlier };
  };
}
