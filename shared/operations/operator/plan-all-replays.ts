import type { Customer } from '#shared/domain/customer.ts';
import type { Endpoint } from '#shared/domain/endpoint.ts';
import {
  type PlannedEndpoint,
  type PlanRequest,
  planOf,
  type ReplayPlan,
} from '#shared/operations/replays/plan-replays.ts';
import { fewAtOnce } from './few-at-once.ts';

type Deps = {
  readonly listLiveEndpoints: (customerId: string) => Promise<readonly Endpoint[]>;
  readonly plan: (endpoints: readonly Endpoint[], request: PlanRequest) => Promise<ReplayPlan>;
};

/** Customers that are planned at the same time: their deliveries are in partitions of their own. */
const atOnce = 8;

/**
 * One plan for the endpoints of all customers, in the order of the customers. Endpoints without a selected delivery are
 * left out.
 *
 * @param onPlanned called after each customer
 */
export function planAllReplays({ listLiveEndpoints, plan }: Deps) {
  return async (
    customers: readonly Customer[],
    request: PlanRequest,
    onPlanned: () => void,
  ): Promise<ReplayPlan> => {
    const planned = new Map<string, readonly PlannedEndpoint[]>();
    await fewAtOnce(customers, atOnce, async ({ id }) => {
      const { endpoints } = await plan(await listLiveEndpoints(id), request);
      planned.set(id, endpoints.filter(isConcerned));
      onPlanned();
    });
    return planOf(
      customers.flatMap(({ id }) => planned.get(id) ?? []),
      request.rate,
    );
  };
}

function isConcerned({ deliveries, skipped }: PlannedEndpoint): boolean {
  return deliveries + skipped.replayedEarlier + skipped.notActive > 0;
}
