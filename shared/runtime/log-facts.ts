import * as z from 'zod';
import { timestamp } from '#shared/contract/timestamp.ts';
import type { AttemptLogEntry } from '#shared/domain/attempt.ts';
import type { Transition } from '#shared/domain/delivery.ts';
import type {
  AcceptedEvent,
  LoggedDelivery,
  LoggedSubject,
  TelemetryEvent,
} from '#shared/operations/telemetry-event.ts';
import { replayFacts, stalledFacts } from './replay-facts.ts';

export type Facts = Readonly<Record<string, unknown>>;

/**
 * The members of the log line about an event, in snake case and flat, so that a query can name each; members without a
 * value are absent. Operations may pass a whole delivery or endpoint; only its ids are logged.
 */
export function logFacts(event: TelemetryEvent): Facts {
  if ('job' in event) return replayFacts(event);
  if (event.name === 'replay.stalled') return stalledFacts(event);
  switch (event.name) {
    case 'delivery.attempted':
      return {
        ...idsOf(event.delivery),
        attempt: event.attempt,
        ...attemptFacts(event.entry),
        ...stateFacts(event.transition),
      };
    case 'delivery.interrupted':
      return {
        ...idsOf(event.delivery),
        attempt: event.attempt,
        outcome: 'interrupted',
        ...stateFacts(event.transition),
      };
    case 'delivery.superseded':
      return { ...idsOf(event.delivery), attempt: event.attempt };
    case 'attempt.released':
      return { ...idsOf(event.delivery), attempt: event.attempt, reason: event.reason };
    case 'delivery.cancelled':
      return { ...idsOf(event.delivery), reason: event.reason };
    case 'delivery.stranded':
      return { ...idsOf(event.delivery), created_at: timestamp(event.createdAt) };
    case 'sweep.done':
      return { woken: event.woken };
    case 'endpoint.slow':
    case 'endpoint.quick_again':
      return { customer_id: event.endpoint.customerId, webhook_id: event.endpoint.id };
    case 'intake.done':
      return { events: event.events.map(acceptedFacts) };
    case 'unknown_customer':
      return { type: event.type, ...subjectFacts(event) };
    case 'row.unreadable':
      return { kind: event.kind, key: event.key, fault: event.fault };
    case 'step.failed':
      return {
        ...(event.delivery === undefined ? {} : idsOf(event.delivery)),
        ...(event.subject === undefined ? {} : subjectFacts(event.subject)),
        step: event.step,
        cause: describe(event.cause),
      };
  }
}

const refusedByAws = z.object({ $metadata: z.object({ requestId: z.string() }) });

/** The loggable parts of an error: its kind, its message and, from AWS, the id of the refused request. */
export function describe(cause: unknown) {
  if (!(cause instanceof Error)) return { kind: typeof cause, message: String(cause).slice(0, 500) };
  const { data } = refusedByAws.safeParse(cause);
  return {
    kind: cause.name,
    message: cause.message.slice(0, 500),
    ...(data === undefined ? {} : { aws_request_id: data.$metadata.requestId }),
  };
}

function idsOf({ customerId, webhookId, id, event }: LoggedDelivery): Facts {
  return {
    customer_id: customerId,
    webhook_id: webhookId,
    delivery_id: id,
    ...(event === undefined ? {} : eventFacts(event)),
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

function subjectFacts({ customerId, webhookId, runId }: LoggedSubject): Facts {
  return {
    customer_id: customerId,
    ...(webhookId === undefined ? {} : { webhook_id: webhookId }),
    ...(runId === undefined ? {} : { run_id: runId }),
  };
}

function acceptedFacts({ customerId, event, deliveries, isRepeated }: AcceptedEvent): Facts {
  return {
    customer_id: customerId,
    ...eventFacts(event),
    deliveries,
    ...(isRepeated ? { repeated: true } : {}),
  };
}

function eventFacts({ id, type, runId }: AcceptedEvent['event']): Facts {
  return withValue({ event_id: id, event_type: type, run_id: runId });
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
