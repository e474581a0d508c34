import { en } from 'zod/locales';
import * as z from 'zod/mini';
import { timestamp } from '#shared/contract/timestamp.ts';
import type { AttemptLogEntry } from '#shared/domain/attempt.ts';
import type { BulkReplay, ReplayRequester } from '#shared/domain/bulk-replay.ts';
import type { Transition } from '#shared/domain/delivery.ts';
import { errorMessage } from '#shared/domain/error-message.ts';
import type {
  AcceptedEvent,
  LoggedDelivery,
  LoggedSubject,
  RecordedOutcome,
  TelemetryEvent,
} from '#shared/operations/telemetry-event.ts';

// Gives the faults of stored data a text for the log. Without it, `zod/mini` calls each of them "Invalid input".
z.config(en());

export type Facts = Readonly<Record<string, unknown>>;

/**
 * The members of the log line about an event, in snake case and flat, so that a query can name each; members without a
 * value are absent. Operations may pass a whole delivery or endpoint; only its ids are logged.
 */
export function logFacts<Name extends TelemetryEvent['name']>(event: TelemetryEvent<Name>): Facts {
  return withValue(lines[event.name](event));
}

const lines: { readonly [Name in TelemetryEvent['name']]: (event: TelemetryEvent<Name>) => Facts } = {
  'delivery.attempted': ({ delivery, attempt, entry, transition }) => ({
    ...deliveryFacts(delivery),
    attempt,
    ...attemptFacts(entry),
    ...stateFacts(transition),
  }),
  'deliveries.acknowledged': ({ attempts }) => ({
    endpoints: groupedBy(attempts, ({ delivery }) => placeFacts(delivery), 'deliveries', acknowledgedFacts),
  }),
  'attempt.released': ({ delivery, attempt, reason }) => ({ ...deliveryFacts(delivery), attempt, reason }),
  'delivery.interrupted': ({ delivery, attempt, transition }) => ({
    ...deliveryFacts(delivery),
    attempt,
    outcome: 'interrupted',
    ...stateFacts(transition),
  }),
  'delivery.cancelled': ({ delivery, reason }) => ({ ...deliveryFacts(delivery), reason }),
  'delivery.superseded': ({ delivery, attempt }) => ({ ...deliveryFacts(delivery), attempt }),
  'delivery.stranded': ({ delivery, createdAt }) => ({
    ...deliveryFacts(delivery),
    created_at: timestamp(createdAt),
  }),
  'replay.started': replayFacts,
  'replay.stepped': ({ job, replayed: step_replayed, skipped: step_skipped }) => ({
    ...replayFacts({ job }),
    step_replayed,
    step_skipped,
  }),
  'replay.ended': replayFacts,
  'replay.stalled': ({ key, lastStepAt }) => ({
    ...placeFacts(key),
    replay_id: key.id,
    last_step_at: timestamp(lastStepAt),
  }),
  'endpoint.slow': endpointFacts,
  'endpoint.quick_again': endpointFacts,
  'endpoint.failing': endpointFacts,
  'endpoint.recovered': endpointFacts,
  'attempts.put_off': ({ endpoint, attempts }) => ({ ...endpointFacts({ endpoint }), attempts }),
  'intake.done': ({ events }) => ({ customers: groupedBy(events, placeFacts, 'events', acceptedFacts) }),
  'sweep.done': ({ requeued }) => ({ requeued }),
  'audit.done': ({ name, stalledReplays: stalled_replays, oldestStranded, ...found }) => ({
    ...found,
    stalled_replays,
  }),
  'message.refused': ({ messageId: message_id, reason }) => ({ message_id, reason }),
  'messages.returned': ({ returned }) => ({ returned }),
  'request.done': (event) => ({ ...requestFacts(event), code: event.code }),
  'request.failed': (event) => ({ ...requestFacts(event), cause: describe(event.cause) }),
  'operator.done': ({ operation, customerId, credentialId: credential_id }) => ({
    operation,
    ...placeFacts({ customerId }),
    credential_id,
  }),
  'portal_link.created': ({ customerId, credentialId: credential_id, expiresAt: expires_at }) => ({
    ...placeFacts({ customerId }),
    credential_id,
    expires_at,
  }),
  unknown_customer: ({ type, ...subject }) => ({ type, ...subjectFacts(subject) }),
  'row.unreadable': ({ kind, key, fault }) => ({ kind, key, fault }),
  'step.failed': ({ delivery, subject, step, messageId: message_id, cause }) => ({
    ...(delivery && deliveryFacts(delivery)),
    ...(subject && subjectFacts(subject)),
    step,
    message_id,
    cause: describe(cause),
  }),
};

/** The level of the events that are not ordinary. */
export const logLevels: { readonly [name in TelemetryEvent['name']]?: 'warn' | 'error' } = {
  'step.failed': 'error',
  'request.failed': 'error',
  'row.unreadable': 'error',
  'message.refused': 'warn',
  'messages.returned': 'warn',
  'replay.stalled': 'warn',
  unknown_customer: 'warn',
};

const refusedByAws = z.object({ $metadata: z.object({ requestId: z.string() }) });

/** The loggable parts of an error: its kind, its message and, from AWS, the id of the refused request. */
export function describe(cause: unknown) {
  const message = errorMessage(cause).slice(0, 500);
  if (!(cause instanceof Error)) return { kind: typeof cause, message };
  const aws_request_id = refusedByAws.safeParse(cause).data?.$metadata.requestId;
  return { kind: cause.name, message, aws_request_id };
}

function requestFacts(event: TelemetryEvent<'request.done' | 'request.failed'>): Facts {
  const { requestId: request_id, operation, customerId: customer_id, path, status } = event;
  return { request_id, operation, customer_id, ...path, status };
}

/** Each group has its common ids once, because each byte of a line is paid for. */
function groupedBy<T>(
  items: readonly T[],
  idsOf: (item: T) => Facts,
  name: string,
  factsOf: (item: T) => Facts,
): readonly Facts[] {
  const groups = Map.groupBy(items, (item) => JSON.stringify(idsOf(item)));
  return [...groups.values()].flatMap((group) =>
    group.slice(0, 1).map((first) => ({
      ...withValue(idsOf(first)),
      [name]: group.map((item) => withValue(factsOf(item))),
    })),
  );
}

/** What finds the delivery; its record has the rest. */
function acknowledgedFacts({ delivery, attempt, entry }: RecordedOutcome): Facts {
  return {
    delivery_id: delivery.id,
    ...eventFacts(delivery.event),
    attempt,
    response_status: entry.responseStatus,
    repeated: entry.isRepeated || null,
    duration_ms: entry.durationMs,
  };
}

function acceptedFacts({ event, deliveries, isRepeated }: AcceptedEvent): Facts {
  return { event_id: event.id, run_id: event.runId, deliveries, repeated: isRepeated || null };
}

function placeFacts({ customerId, webhookId }: Omit<LoggedSubject, 'runId'>): Facts {
  return { customer_id: customerId, webhook_id: webhookId };
}

function subjectFacts(subject: LoggedSubject): Facts {
  return { ...placeFacts(subject), run_id: subject.runId };
}

function endpointFacts({ endpoint: { customerId, id } }: Pick<TelemetryEvent<'endpoint.slow'>, 'endpoint'>) {
  return placeFacts({ customerId, webhookId: id });
}

function deliveryFacts(delivery: LoggedDelivery): Facts {
  const { id, event } = delivery;
  return { ...placeFacts(delivery), delivery_id: id, ...(event && eventFacts(event)) };
}

function eventFacts({ id, type, runId }: AcceptedEvent['event']): Facts {
  return { event_id: id, event_type: type, run_id: runId };
}

function attemptFacts({ timings, ...entry }: AttemptLogEntry): Facts {
  return {
    outcome: entry.outcome,
    response_status: entry.responseStatus,
    error: entry.error,
    repeated: entry.isRepeated || null,
    duration_ms: entry.durationMs,
    dns_ms: timings.dnsMs,
    connect_ms: timings.connectMs,
    tls_ms: timings.tlsMs,
    first_byte_ms: timings.firstByteMs,
  };
}

/** The state of the delivery after the attempt. */
function stateFacts(transition: Transition): Facts {
  const { status } = transition;
  return status === 'pending' ? { status, next_attempt_at: timestamp(transition.retryAt) } : { status };
}

/** A bulk replay with who asked for it: its lines are its audit trail. */
function replayFacts({ job }: { readonly job: BulkReplay }): Facts {
  const { selection, rate, status, step, replayed, skipped } = job;
  return {
    ...placeFacts(job),
    replay_id: job.id,
    ...requesterFacts(job.requestedBy),
    deliveries: selection.status,
    created_after: timestamp(selection.createdAfter),
    created_before: timestamp(selection.createdBefore),
    rate,
    status,
    reason: job.cancelReason,
    step,
    replayed,
    skipped,
  };
}

function requesterFacts(requester: ReplayRequester): Facts {
  const requested_by = requester.by;
  return requester.by === 'customer'
    ? { requested_by, credential_id: requester.credentialId }
    : { requested_by, note: requester.note };
}

function withValue(facts: Facts): Facts {
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value != null));
}
