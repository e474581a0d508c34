import { limits } from '#shared/contract/limits.ts';
import { problem } from '#shared/contract/problem.ts';
import type { BulkReplayPlan } from '#shared/contract/records/bulk-replay.ts';
import type { ReplayRequest } from '#shared/domain/bulk-replay.ts';
import { notActive } from '#shared/operations/not-active.ts';
import type { Clock, ReadEndpoint } from '#shared/operations/ports.ts';
import { planReplays } from './plan-replays.ts';
import type { CountLimits, CountReplayable } from './replayable.ts';
import { pastSelection } from './start-replay.ts';

type Deps = {
  readonly now: Clock;
  readonly readEndpoint: ReadEndpoint;
  readonly countReplayable: CountReplayable;
};

/** `countRequest` counts another request of the caller: `false` when its request limit is reached. */
type PlanRequest = Omit<ReplayRequest, 'requestedBy'> & { readonly countRequest: () => Promise<boolean> };

/** Milliseconds for which deliveries are counted: the answer comes within the time of a request. */
const planTime = 15_000;

/**
 * Says what a bulk replay of an active endpoint would send. The same refusals as for the bulk replay, except that one may
 * be running.
 *
 * A plan costs the caller what it costs the table: it counts as one request for each `limits.planReadsPerRequest`
 * deliveries that it reads, so that no request reads more than a page of a filtered list.
 *
 * @throws Problem `invalid_request`, `not_found`, `webhook_not_active`
 */
export function planReplay(deps: Deps) {
  const plan = planReplays(deps);
  return async (request: PlanRequest): Promise<BulkReplayPlan> => {
    const begun = deps.now();
    const selection = pastSelection(request.selection, begun);
    const endpoint = await deps.readEndpoint(request.customerId, request.webhookId);
    if (endpoint === null) throw problem('not_found');
    if (endpoint.status !== 'active') throw notActive(endpoint);
    const { rate, countRequest } = request;
    const inTime = () => deps.now() - begun < planTime;
    const planned = await plan([endpoint], { ...selection, rate }, paidLimits(countRequest, inTime));
    const replayedEarlier = planned.endpoints[0]?.skipped.replayedEarlier ?? 0;
    return { ...planned, replayedEarlier };
  };
}

/** Reads what the requests of the plan pay for. The first one is the request for the plan itself. */
function paidLimits(countRequest: () => Promise<boolean>, inTime: () => boolean): CountLimits {
  let paid = 1;
  return {
    roundReads: limits.planReadsPerRequest,
    mayContinue: async ({ read }) => {
      if (read < paid * limits.planReadsPerRequest) return inTime();
      if (paid === limits.planRequests || !inTime()) return false;
      paid += 1;
      return await countRequest();
    },
  };
}
