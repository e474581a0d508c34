import { en } from 'zod/locales';
import * as z from 'zod/mini';
import { timestamp } from '#shared/contract/timestamp.ts';
import type { AttemptLogEntry } from '#shared/domain/attempt.ts';
import type { Transition } from '#shared/domain/delivery.ts';
import type {
  AcceptedEvent,
  LoggedDelivery,
  LoggedSubject,
  RecordedOutcome,
  TelemetryEvent,
} from '#shared/operations/telemetry-event.ts';
import { replayFacts, stalledFacts } from './replay-facts.ts';

// Gives the faults of stored data a text for the log. Without it, `zod/mini` calls each of them "Invalid input".
z.config(en());

export type Facts = Readonly<Record<string, unknown>>;

/**
 * The members of the log line about an event, in snake case and flat, so that a query can name each; members without a
 * value are absent. Operations may pass a whole delivery or endpoint; only its ids are logged.
 */
export function logFacts(event: TelemetryEvent): Facts {
  switch (event.name) {
    case 'delivery.attempted':
    case 'delivery.interrupted':
    case 'delivery.superseded':
    case 'delivery.cancelled':
    case 'delivery.stranded':
    case 'attempt.released':
      return deliveryFacts(event);
    case 'deliveries.acknowledged':
      return { endpoints: groupedBy(event.attempts, endpointIdsOf, 'deliveries', acknowledgedFacts) };
    case 'replay.started':
    case 'replay.stepped':
    case 'replay.ended':
    case 'replay.stalled':
      return event.name === 'replay.stalled' ? stalledFacts(event) : replayFacts(event);
    case 'endpoint.slow':
    case 'endpoint.quick_again':
    case 'endpoint.failing':
    case 'endpoint.recovered':
    case 'attempts.put_off':
      return endpointFacts(event);
    case 'intake.done':
      return { customers: groupedBy(event.events, customerIdOf, 'events', acceptedFacts) };
    case 'sweep.done':
    case 'audit.done':
      return event.name === 'sweep.done' ? { woken: event.requeued } : auditFacts(event);
    case 'message.refused':
    case 'messages.returned':
      return messageFacts(event);
    case 'request.done':
    case 'request.failed':
      return requestFacts(event);
    case 'portal_link.created':
      return portalLinkFacts(event);
    case 'unknown_customer':
      return { type: event.type, ...subjectFacts(event) };
    case 'row.unreadable':
      return { kind: event.kind, key: event.key, fault: event.fault };
    case 'step.failed':
      return stepFacts(event);
  }
}

type EventOf<Name extends string> = Extract<TelemetryEvent, { readonly name: Name }>;

function deliveryFacts(event: EventOf<`delivery.${string}` | 'attempt.released'>): Facts {
  const ids = idsOf(event.delivery);
  switch (event.name) {
    case 'delivery.attempted': {
      const { attempt, entry, transition } = event;
      return { ...ids, attempt, ...attemptFacts(entry), ...stateFacts(transition) };
    }
    case 'delivery.interrupted':
      return { ...ids, attempt: event.attempt, outcome: 'interrupted', ...stateFacts(event.transition) };
    case 'delivery.superseded':
      return { ...ids, attempt: event.attempt };
    case 'attempt.released':
      return { ...ids, attempt: event.attempt, reason: event.reason };
    case 'delivery.cancelled':
      return { ...ids, reason: event.reason };
    case 'delivery.stranded':
      return { ...ids, created_at: timestamp(event.createdAt) };
  }
}

function messageFacts(event: EventOf<'message.refused' | 'messages.returned'>): Facts {
  return event.name === 'message.refused'
    ? { message_id: event.messageId, reason: event.reason }
    : { returned: event.returned };
}

function auditFacts(event: EventOf<'audit.done'>): Facts {
  const { name: _, requeued: woken, stalledReplays: stalled_replays, oldestStranded: _age, ...found } = event;
  return { ...found, woken, stalled_replays };
}

function portalLinkFacts({ customerId, credentialId, expiresAt }: EventOf<'portal_link.created'>): Facts {
  return { customer_id: customerId, credential_id: credentialId, expires_at: expiresAt };
}

function stepFacts({ delivery, subject, messageId, step, cause }: EventOf<'step.failed'>): Facts {
  return {
    ...(delivery === undefined ? {} : idsOf(delivery)),
    ...(subject === undefined ? {} : subjectFacts(subject)),
    step,
    ...(messageId === undefined ? {} : { message_id: messageId }),
    cause: describe(cause),
  };
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

function requestFacts(event: EventOf<'request.done' | 'request.failed'>): Facts {
  return {
    request_id: event.requestId,
    operation: event.operation,
    ...(event.customerId === undefined ? {} : { customer_id: event.customerId }),
    ...event.path,
    status: event.status,
    ...(event.name === 'request.failed' ? { cause: describe(event.cause) } : { code: event.code }),
  };
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
    group.slice(0, 1).map((first) => ({ ...idsOf(first), [name]: group.map(factsOf) })),
  );
}

function endpointFacts(event: EventOf<`endpoint.${string}` | 'attempts.put_off'>): Facts {
  const { customerId, id } = event.endpoint;
  const attempts = 'attempts' in event ? { attempts: event.attempts } : {};
  return { customer_id: customerId, webhook_id: id, ...attempts };
}

const customerIdOf = ({ customerId }: AcceptedEvent): Facts => ({ customer_id: customerId });

const endpointIdsOf = ({ delivery: { customerId, webhookId } }: RecordedOutcome): Facts => ({
  customer_id: customerId,
  webhook_id: webhookId,
});

/** What finds the delivery; its record has the rest. */
function acknowledgedFacts({ delivery, attempt, entry }: RecordedOutcome): Facts {
  return withValue({
    delivery_id: delivery.id,
    ...eventFacts(delivery.event),
    attempt,
    response_status: entry.responseStatus,
    repeated: entry.isRepeated || null,
    duration_ms: entry.durationMs,
  });
}

function idsOf({ customerId, webhookId, id, event }: LoggedDelivery): Facts {
  return {
    customer_id: customerId,
    webhook_id: webhookId,
    delivery_id: id,
    ...(event === undefined ? {} : eventFacts(event)),
  };
}

function attemptFacts({
  outcome,
  responseStatus,
  error,
  isRepeated,
  durationMs,
  timings,
}: AttemptLogEntry): Facts {
  return withValue({
    outcome,
    response_status: responseStatus,
    error,
    repeated: isRepeated || null,
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

function acceptedFacts({ event, deliveries, isRepeated }: AcceptedEvent): Facts {
  const ids = { event_id: event.id, run_id: event.runId };
  return { ...withValue(ids), deliveries, ...(isRepeated ? { repeated: true } : {}) };
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
