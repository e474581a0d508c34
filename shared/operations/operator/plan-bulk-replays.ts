import type { Table } from '#shared/aws/clients.ts';
import { listLiveEndpoints } from '#shared/aws/table/endpoints/endpoints.ts';
import {
  type BulkReplayPlan,
  type PlannedEndpoint,
  type PlanRequest,
  planOf,
} from '#shared/domain/bulk-replay-plan.ts';
import type { Customer } from '#shared/domain/customer.ts';
import { planEndpoints } from '#shared/operations/replays/plan-bulk-replay.ts';
import { fewAtOnce } from './few-at-once.ts';

/** Customers that are planned at the same time: their deliveries are in partitions of their own. */
const atOnce = 8;

/**
 * One plan for the endpoints of all customers, in the order of the customers. Endpoints without a selected delivery are
 * left out.
 *
 * @param onPlanned called after each customer
 */
export async function planBulkReplays(
  table: Table,
  customers: readonly Customer[],
  request: PlanRequest,
  onPlanned: () => void,
): Promise<BulkReplayPlan> {
  const planned = new Map<string, readonly PlannedEndpoint[]>();
  await fewAtOnce(customers, atOnce, async ({ id }) => {
    const { endpoints } = await planEndpoints(table, await listLiveEndpoints(table, id), request);
    planned.set(id, endpoints.filter(isConcerned));
    onPlanned();
  });
  const ofAll = customers.flatMap(({ id }) => planned.get(id) ?? []);
  return planOf(ofAll, request);
}

function isConcerned({ deliveries, skipped }: PlannedEndpoint): boolean {
  return deliveries + skipped.replayedEarlier + skipped.notActive > 0;
}
