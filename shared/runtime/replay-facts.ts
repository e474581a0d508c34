import { timestamp } from '#shared/contract/timestamp.ts';
import type { BulkReplay, ReplayRequester } from '#shared/domain/bulk-replay.ts';
import type { AuditedReplay } from '#shared/domain/progress.ts';
import type { TelemetryEvent } from '#shared/operations/telemetry-event.ts';

type ReplayEvent = Extract<TelemetryEvent, { readonly job: BulkReplay }>;

/** A bulk replay with who asked for it: its lines are its audit trail. */
export function replayFacts(event: ReplayEvent): Readonly<Record<string, unknown>> {
  const { job } = event;
  const { selection, requestedBy } = job;
  return {
    customer_id: job.customerId,
    webhook_id: job.webhookId,
    replay_id: job.id,
    ...requesterFacts(requestedBy),
    deliveries: selection.status,
    created_after: timestamp(selection.createdAfter),
    created_before: timestamp(selection.createdBefore),
    rate: job.rate,
    status: job.status,
    ...(job.cancelReason === null ? {} : { reason: job.cancelReason }),
    step: job.step,
    replayed: job.replayed,
    skipped: job.skipped,
    ...(event.name === 'replay.stepped'
      ? { step_replayed: event.replayed, step_skipped: event.skipped }
      : {}),
  };
}

export function stalledFacts({ key, lastStepAt }: AuditedReplay): Readonly<Record<string, unknown>> {
  return {
    customer_id: key.customerId,
    webhook_id: key.webhookId,
    replay_id: key.id,
    last_step_at: timestamp(lastStepAt),
  };
}

function requesterFacts(requester: ReplayRequester): Readonly<Record<string, unknown>> {
  const requested_by = requester.by;
  if (requester.by === 'customer') return { requested_by, credential_id: requester.credentialId };
  return requester.note === null ? { requested_by } : { requested_by, note: requester.note };
}
