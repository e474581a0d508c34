import { presentBulkReplay } from '#shared/contract/records/bulk-replay.ts';
import type { BulkReplay } from '#shared/domain/bulk-replay.ts';
import type { BulkReplayPlan, PlanRequest } from '#shared/domain/bulk-replay-plan.ts';
import type { CountedReplay } from '#shared/domain/replay-outcomes.ts';
import type { RunResult } from '#shared/operations/operator/run-bulk-replays.ts';
import type { ProgressText } from '../cli/progress-line.ts';
import { duration, recordTable } from '../cli/text-table.ts';
import { refusalText } from './replay-requests.ts';

/** Bulk replays as a table. */
export function replayTable(jobs: readonly CountedReplay[]): readonly string[] {
  return recordTable(jobs.map(presentBulkReplay), {
    REPLAY: 'id',
    ENDPOINT: 'webhook_id',
    STATUS: 'status',
    REPLAYED: 'replayed',
    SKIPPED: 'skipped',
    DELIVERED: ({ outcomes }) => outcomes?.delivered ?? null,
    FAILED: ({ outcomes }) => outcomes?.failed ?? null,
    RATE: ({ rate }) => `${rate}/s`,
    CREATED: 'created_at',
    ENDED: 'ended_at',
  });
}

/** The result of bulk replays of many customers: the sum, then those that did not end as planned. */
export function allReplaysLines(jobs: readonly CountedReplay[]): readonly string[] {
  const rest = jobs.filter(({ status }) => status !== 'completed');
  const sum = `Replayed ${replayedBy(jobs)}, with ${jobs.length - rest.length} of ${jobs.length} bulk replays completed`;
  return [sum, ...replayTable(rest)];
}

/** Faults that one line names; a run for all customers can have one for each endpoint. */
const namedFaults = 5;

/** Which endpoints were not replayed, or not to the end, and why; `null` when all were. */
export function faultsText({ jobs, refused }: RunResult): string | null {
  const faults = [...refused.map(refusalText), ...jobs.flatMap(endedEarly)];
  if (faults.length === 0) return null;
  const rest = faults.length - namedFaults;
  const named = faults.slice(0, namedFaults).join('; ');
  return `${named}${rest > 0 ? `; and ${rest} more` : ''}. The same command continues with the rest`;
}

function endedEarly({ id, status, cancelReason }: BulkReplay): readonly string[] {
  if (status !== 'cancelled') return [];
  const why = cancelReason === 'webhook_not_active' ? 'its endpoint was deleted' : 'somebody cancelled it';
  return [`Bulk replay ${id} ended early: ${why}`];
}

/** The number of deliveries that bulk replays have replayed so far. */
export function replayedBy(jobs: readonly BulkReplay[]): number {
  return jobs.reduce((sum, { replayed }) => sum + replayed, 0);
}

/** One bulk replay for a program, with what only operators see. */
export function replayJson(job: CountedReplay) {
  const { requestedBy, customerId } = job;
  return {
    ...presentBulkReplay(job),
    customer_id: customerId,
    credential_id: requestedBy.by === 'customer' ? requestedBy.credentialId : null,
    note: requestedBy.by === 'operator' ? requestedBy.note : null,
  };
}

/** What a run is expected to do: the jobs skip deliveries with an earlier replay. */
export function expectedOf(plan: BulkReplayPlan, { rate }: PlanRequest) {
  const replayedEarlier = plan.endpoints
    .filter(({ deliveries }) => deliveries > 0)
    .reduce((sum, { skipped }) => sum + skipped.replayedEarlier, 0);
  return { deliveries: plan.deliveries, replayedEarlier, rate };
}

/** One line about a run of bulk replays: how far it is, and how long the rest takes at its pace. */
export function progressText(
  jobs: readonly BulkReplay[],
  { deliveries, replayedEarlier, rate }: ReturnType<typeof expectedOf>,
): ProgressText {
  const replayed = replayedBy(jobs);
  // Somebody else replayed these meanwhile.
  const taken = Math.max(0, jobs.reduce((sum, job) => sum + job.skipped, 0) - replayedEarlier);
  const rest = Math.max(0, deliveries - replayed - taken);
  const percent = deliveries === 0 ? 100 : Math.floor(((deliveries - rest) * 100) / deliveries);
  const left = rest === 0 ? 'finishing' : `about ${duration(Math.ceil(rest / rate) * 1000)} left`;
  const job = jobs.at(-1)?.id ?? 'Starting';
  return { count: replayed, line: `${job}: replayed ${replayed} of ${deliveries} (${percent} %), ${left}` };
}
