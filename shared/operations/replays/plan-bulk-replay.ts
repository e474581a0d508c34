import type { Table } from '#shared/aws/clients.ts';
import { readEndpoint } from '#shared/aws/table/endpoints/endpoints.ts';
import { type CountLimits, countReplayable } from '#shared/aws/table/replays/replayable-deliveries.ts';
import { limits } from '#shared/contract/limits.ts';
import type { ReplayRequest } from '#shared/domain/bulk-replay.ts';
import {
  type BulkReplayPlan,
  type PlannedEndpoint,
  type PlanRequest,
  plannedEndpoint,
  planOf,
} from '#shared/domain/bulk-replay-plan.ts';
import type { Endpoint } from '#shared/domain/endpoint.ts';
import { activeEndpoint } from '#shared/operations/found.ts';
import type { Needs } from '#shared/operations/needs.ts';
import { EventChoice } from './event-choice.ts';
import { knownSource, pastSelection } from './selection.ts';

type Deps = Pick<Needs, 'table' | 'now'>;

/** `countRequest` counts another request of the caller: `false` when its request limit is reached. */
type CustomerRequest = Omit<ReplayRequest, 'requestedBy'> & { readonly countRequest: () => Promise<boolean> };

/** Time budget for counting, so that the response arrives before API Gateway times out. Milliseconds. */
const planTime = 15_000;

/**
 * Says what a bulk replay of an active endpoint would send. The same refusals as for the bulk replay, except that one may
 * be running.
 *
 * A plan costs the caller what it costs the table: it counts as one request for each `limits.planReadsPerRequest`
 * deliveries that it reads, so that no request reads more than two pages of a filtered list. To look at a replay costs as
 * much as four deliveries.
 *
 * @throws Problem `invalid_request`, `not_found`, `webhook_not_active`
 */
export function planBulkReplay({ table, now }: Deps) {
  return async (request: CustomerRequest): Promise<BulkReplayPlan> => {
    const begun = now();
    const selection = pastSelection(request.selection, begun);
    const endpoint = activeEndpoint(await readEndpoint(table, request.customerId, request.webhookId));
    const { rate, countRequest } = request;
    const { sourceWebhookId = endpoint.id } = selection;
    const paid = paidLimits(countRequest, () => now() - begun < planTime, sourceWebhookId !== endpoint.id);
    return await planEndpoints(table, [endpoint], { ...selection, rate }, paid);
  };
}

/**
 * Says what bulk replays of some endpoints would do. Only deliveries of the selected time are read.
 *
 * @throws Problem `not_found` for a selection of an endpoint or of deliveries that do not exist
 * @param limits for the count of each endpoint; once it may not continue, the plan ends incomplete, and the endpoints
 *   that were not reached count as none
 */
export async function planEndpoints(
  table: Table,
  endpoints: readonly Endpoint[],
  request: PlanRequest,
  limits: Omit<CountLimits, 'events'> = { mayContinue: () => true },
): Promise<BulkReplayPlan> {
  const planned: PlannedEndpoint[] = [];
  for (const endpoint of endpoints) {
    // One after another: the count of one endpoint reads concurrently, as fast as a partition allows.
    const source = await knownSource(table, endpoint, request);
    const events = new EventChoice(table, { endpoint, source, status: request.status, jobId: null });
    const count = await countReplayable(table, source, request, { ...limits, events });
    planned.push(plannedEndpoint(endpoint, count));
  }
  return planOf(planned, request);
}

/** Deliveries that a query reads for the price of one whose event is looked up. */
const readsOfLookedUp = 10;

/**
 * Reads what the requests of the plan pay for, a round for each. The first one is the request for the plan itself.
 *
 * @param looksUp whether each event is looked up
 */
function paidLimits(
  countRequest: () => Promise<boolean>,
  inTime: () => boolean,
  looksUp: boolean,
): Omit<CountLimits, 'events'> {
  let paid = 1;
  return {
    roundReads: limits.planReadsPerRequest / (looksUp ? readsOfLookedUp : 1),
    mayContinue: async ({ read }) => {
      if (!inTime()) return false;
      for (; read >= paid * limits.planReadsPerRequest; paid += 1) {
        if (paid === limits.planRequests || !(await countRequest())) return false;
      }
      return true;
    },
  };
}
