import { timestamp } from '#shared/contract/timestamp.ts';
import type { AttemptLogEntry } from '#shared/domain/attempt.ts';
import type { BulkReplay } from '#shared/domain/bulk-replay.ts';
import type { Transition } from '#shared/domain/delivery.ts';
import type { LoggedDelivery, TelemetryEvent } from '#shared/operations/ports.ts';

export type Facts = Readonly<Record<string, unknown>>;

/**
 * The members of the log line about an event, in snake case and flat, so that a query can name each; members without a
 * value are absent. Operations may pass a whole delivery or endpoint; only its ids are logged.
 */
export function logFacts(event: TelemetryEvent): Facts {
  switch (event.name) {
    case 'delivery.attempted':
      return {
        ...idsOf(event.delivery),
        attempt: event.attempt,
        ...attemptFacts(event.entry),
        ...stateFacts(event.transition),
      };
    case 'delivery.interrupted':
      return { ...idsOf(event.delivery), attempt: event.attempt, outcome: 'interrupted' };
    case 'delivery.superseded':
      return { ...idsOf(event.delivery), attempt: event.attempt };
    case 'attempt.released':
      return { ...idsOf(event.delivery), attempt: event.attempt, reason: event.reason };
    case 'delivery.cancelled':
      return { ...idsOf(event.delivery), reason: event.reason };
    case 'delivery.stranded':
      return { ...idsOf(event.delivery), created_at: timestamp(event.createdAt) };
    case 'endpoint.slow':
    case 'endpoint.quick_again':
      return { customer_id: event.endpoint.customerId, webhook_id: event.endpoint.id };
    case 'replay.started':
    case 'replay.ended':
      return replayFacts(event.job);
    case 'replay.stepped':
      return { ...replayFacts(event.job), step_replayed: event.replayed, step_skipped: event.skipped };
    case 'unknown_customer':
      return { type: event.type, customer_id: event.customerId };
    case 'row.unreadable':
      return { kind: event.kind, key: event.key, fault: event.fault };
    case 'step.failed':
      return {
        ...(event.delivery === undefined ? {} : idsOf(event.delivery)),
        step: event.step,
        cause: describe(event.cause),
      };
  }
}

/** A bulk replay with who asked for it: its lines are its audit trail. */
function replayFacts(job: BulkReplay): Facts {
  const { selection, requestedBy } = job;
  return withValue({
    customer_id: job.customerId,
    webhook_id: job.webhookId,
    replay_id: job.id,
    requested_by: requestedBy.by,
    credential_id: requestedBy.by === 'customer' ? requestedBy.credentialId : null,
    deliveries: selection.status,
    created_after: timestamp(selection.createdAfter),
    created_before: timestamp(selection.createdBefore),
    rate: job.rate,
    status: job.status,
    reason: job.cancelReason,
    step: job.step,
    replayed: job.replayed,
    skipped: job.skipped,
  });
}

/** The loggable parts of an error: its kind and its message. */
export function describe(cause: unknown): { readonly kind: string; readonly message: string } {
  return cause instanceof Error
    ? { kind: cause.name, message: cause.message.slice(0, 500) }
    : { kind: typeof cause, message: String(cause).slice(0, 500) };
}

function idsOf({ customerId, webhookId, id, event }: LoggedDelivery): Facts {
  return {
    customer_id: customerId,
    webhook_id: webhookId,
    delivery_id: id,
    ...(event === undefined
      ? {}
      : withValue({ event_id: event.id, event_type: event.type, run_id: event.runId })),
  };
}

function attemptFacts({ outcome, responseStatus, error, durationMs, timings }: AttemptLogEntry): Facts {
  return withValue({
    outcome,
    response_status: responseStatus,
    error,
    duration_ms: durationMs,
    dns_ms: timings.dnsMs,
    connect_ms: timings.connectMs,
    tls_ms: timings.tlsMs,
    first_byte_ms: timings.firstByteMs,
  });
}

function withValue(facts: Facts): Facts {
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== null));
}

/** The state of the delivery after the attempt. */
function stateFacts(transition: Transition): Facts {
  return transition.status === 'pending'
    ? { status: transition.status, next_attempt_at: timestamp(transition.retryAt) }
    : { status: transition.status };
}
