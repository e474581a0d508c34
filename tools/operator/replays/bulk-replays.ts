import { bulkReplayPorts } from '#shared/aws/bulk-replay-ports.ts';
import { listLiveEndpoints } from '#shared/aws/table/endpoints/endpoints.ts';
import { endBulkReplay, readBulkReplay, readRunningReplay } from '#shared/aws/table/replays/bulk-replays.ts';
import { countReplayable } from '#shared/aws/table/replays/replayable-deliveries.ts';
import type { PlanRequest } from '#shared/domain/bulk-replay-plan.ts';
import type { Endpoint } from '#shared/domain/endpoint.ts';
import { planBulkReplays } from '#shared/operations/operator/plan-bulk-replays.ts';
import { runBulkReplays } from '#shared/operations/operator/run-bulk-replays.ts';
import { cancelBulkReplay } from '#shared/operations/replays/cancel-bulk-replay.ts';
import { planEndpoints } from '#shared/operations/replays/plan-bulk-replay.ts';
import { startBulkReplay } from '#shared/operations/replays/start-bulk-replay.ts';
import { backoff, now, randomBytes, wait } from '#shared/runtime/system.ts';
import type { Target } from '../cli/target.ts';

/** The operations of bulk replays on a stage. The functions log what the jobs do, and who asked for them. */
export function bulkReplays({ table, queues, replayQueueUrl }: Target) {
  const start = startBulkReplay({
    now,
    randomBytes,
    report: () => undefined,
    ...bulkReplayPorts(table, queues, replayQueueUrl, backoff),
  });
  const cancel = cancelBulkReplay({ now, endBulkReplay: endBulkReplay(table, backoff) });
  const planning = { listLiveEndpoints: listLiveEndpoints(table), countReplayable: countReplayable(table) };
  return {
    plan: (endpoints: readonly Endpoint[], request: PlanRequest) =>
      planEndpoints(planning, endpoints, request),
    planAll: planBulkReplays(planning),
    readRunning: readRunningReplay(table),
    start,
    cancel,
    run: runBulkReplays({
      wait,
      startBulkReplay: start,
      readBulkReplay: readBulkReplay(table),
      cancelBulkReplay: cancel,
    }),
  };
}
