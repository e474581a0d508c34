import { presentBulkReplay } from '#shared/contract/records/bulk-replay.ts';
import type { BulkReplay } from '#shared/domain/bulk-replay.ts';
import type { RunResult } from '#shared/operations/operator/run-bulk-replays.ts';
import { recordTable } from '../cli/text-table.ts';
import { refusalText } from './replay-requests.ts';

/** Bulk replays as a table. */
export function replayTable(jobs: readonly BulkReplay[]): readonly string[] {
  return recordTable(jobs.map(presentBulkReplay), {
    REPLAY: ({ id }) => id,
    ENDPOINT: ({ webhook_id }) => webhook_id,
    STATUS: ({ status }) => status,
    REPLAYED: ({ replayed }) => replayed,
    SKIPPED: ({ skipped }) => skipped,
    RATE: ({ rate }) => `${rate}/s`,
    CREATED: ({ created_at }) => created_at,
    ENDED: ({ ended_at }) => ended_at,
  });
}

/** The result of bulk replays of many customers: the sum, then those that did not end as planned. */
export function allReplaysLines(jobs: readonly BulkReplay[]): readonly string[] {
  const rest = jobs.filter(({ status }) => status !== 'completed');
  const sum = `Replayed ${replayedBy(jobs)}, with ${jobs.length - rest.length} of ${jobs.length} bulk replays completed`;
  return rest.length === 0 ? [sum] : [sum, ...replayTable(rest)];
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

/** Number of deliveries that bulk replays have replayed so far. */
export function replayedBy(jobs: readonly BulkReplay[]): number {
  return jobs.reduce((sum, { replayed }) => sum + replayed, 0);
}

/** One bulk replay for a program, with what only operators see. */
export function replayJson(job: BulkReplay) {
  const { requestedBy, customerId } = job;
  return {
    ...presentBulkReplay(job),
    customer_id: customerId,
    credential_id: requestedBy.by === 'customer' ? requestedBy.credentialId : null,
    note: requestedBy.by === 'operator' ? requestedBy.note : null,
  };
}
