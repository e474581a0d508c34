import { sendReplayStep } from '#shared/aws/queues/replay-queue.ts';
import { countReplayable } from '#shared/aws/table/deliveries/failed-deliveries.ts';
import { listLiveEndpoints, readEndpoint } from '#shared/aws/table/endpoints/endpoints.ts';
import {
  endBulkReplay,
  readBulkReplay,
  readBulkReplays,
  readRunningReplay,
  storeBulkReplay,
} from '#shared/aws/table/replays/bulk-replays.ts';
import type { ReplayRequest } from '#shared/domain/bulk-replay.ts';
import { planAllReplays } from '#shared/operations/operator/plan-all-replays.ts';
import { runReplays } from '#shared/operations/operator/run-replays.ts';
import { cancelReplay } from '#shared/operations/replays/cancel-replay.ts';
import { planReplays } from '#shared/operations/replays/plan-replays.ts';
import { startReplay } from '#shared/operations/replays/start-replay.ts';
import { backoff, now, randomBytes, wait } from '#shared/runtime/system.ts';
import type { Target } from '../cli/target.ts';
import { explainStart } from './replay-requests.ts';

/** The operations of bulk replays on a stage. The functions log what the jobs do, and who asked for them. */
export function bulkReplays({ table, queues, replayQueueUrl }: Target) {
  const report = () => undefined;
  const startJob = startReplay({
    now,
    randomBytes,
    report,
    readEndpoint: readEndpoint(table),
    readRunningReplay: readRunningReplay(table),
    readBulkReplays: readBulkReplays(table),
    storeBulkReplay: storeBulkReplay(table, backoff),
    sendReplayStep: sendReplayStep(queues, replayQueueUrl),
  });
  const start = (request: ReplayRequest) => startJob(request).catch(explainStart(request));
  const cancel = cancelReplay({ now, endBulkReplay: endBulkReplay(table, backoff) });
  const read = readBulkReplay(table);
  const plan = planReplays({ countReplayable: countReplayable(table) });
  return {
    plan,
    planAll: planAllReplays({ listLiveEndpoints: listLiveEndpoints(table), plan }),
    readRunning: readRunningReplay(table),
    read,
    start,
    cancel,
    run: runReplays({ wait, startReplay: startJob, readBulkReplay: read, cancelReplay: cancel }),
  };
}
