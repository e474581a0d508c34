import type { MetricKey, StatusClass } from '#shared/contract/metrics.ts';
import type { AttemptLogEntry } from '#shared/domain/attempt.ts';
import { isHandshake, type Transition } from '#shared/domain/delivery.ts';
import { endpointGroupOf } from '#shared/domain/endpoint-group.ts';
import { idTime, isOwnId } from '#shared/domain/ids.ts';
import { outcomeClassOf } from '#shared/domain/outcome-class.ts';
import type {
  AttemptedDelivery,
  IntakeResult,
  RecordedOutcome,
  TelemetryEvent,
} from '#shared/operations/telemetry-event.ts';
import type { Measurement } from './embedded-metrics.ts';

type Values = { readonly [key in MetricKey]?: number };

/** What an event measures; `undefined` for an event that is only logged. */
export function measurementOf<Name extends TelemetryEvent['name']>(
  event: TelemetryEvent<Name>,
): Measurement | undefined {
  return measured[event.name]?.(event);
}

const measured: {
  readonly [Name in TelemetryEvent['name']]?: (event: TelemetryEvent<Name>) => Measurement | undefined;
} = {
  'delivery.attempted': (event) =>
    attemptMeasurement(event.delivery, event.entry, event.transition, outcomeValues(event)),
  'deliveries.acknowledged': ({ attempts }) => acknowledgedMeasurement(attempts),
  'delivery.interrupted': ({ delivery, transition }) => attemptMeasurement(delivery, interrupted, transition, {}),
  'delivery.cancelled': () => ({ values: { deliveriesEnded: 1 }, dimensions: { status: 'cancelled' } }),
  'intake.done': ({ results }) => ({ values: intakeValues(results), dimensions: {} }),
  'sweep.done': ({ oldestOverdue }) => ({ values: { oldestOverdue }, dimensions: {} }),
  'audit.done': (event) => ({ values: auditValues(event), dimensions: {} }),
  'message.refused': ({ metric }) => metric && { values: { [metric]: 1 }, dimensions: {} },
  'messages.returned': ({ oldest, queue }) => ({ values: { oldestReturned: oldest }, dimensions: { queue } }),
  'request.done': requestMeasurement,
  'request.failed': requestMeasurement,
};

function requestMeasurement({ operation, status }: TelemetryEvent<'request.done' | 'request.failed'>): Measurement {
  return { values: { apiRequests: 1 }, dimensions: { operation, status_class: statusClassOf(status) } };
}

const interrupted = { outcome: 'interrupted', responseStatus: null } as const;

function attemptMeasurement(
  delivery: AttemptedDelivery,
  entry: Pick<AttemptLogEntry, 'outcome' | 'responseStatus'>,
  transition: Transition,
  values: Values,
): Measurement {
  return {
    values: {
      attempts: 1,
      ...failedValue(delivery, entry.outcome !== 'acknowledged'),
      ...values,
      ...(transition.status === 'pending' ? {} : { deliveriesEnded: 1 }),
    },
    dimensions: {
      outcome_class: outcomeClassOf(entry),
      ...(transition.status === 'pending' ? {} : { status: transition.status }),
    },
  };
}

function failedValue(delivery: AttemptedDelivery, failed: boolean): Values {
  if (isHandshake(delivery)) return {};
  return { [`attemptFailed${endpointGroupOf(delivery.webhookId)}`]: failed ? 1 : 0 };
}

/** The values of all attempts. An acknowledged attempt ends its delivery, so all have the same dimensions. */
function acknowledgedMeasurement(attempts: readonly RecordedOutcome[]): Measurement {
  const values = attempts.flatMap((attempt) =>
    Object.entries({ ...failedValue(attempt.delivery, false), ...outcomeValues(attempt) }),
  );
  const lists = [...Map.groupBy(values, ([key]) => key)].map(
    ([key, list]) => [key, list.map(([, value]) => value)] as const,
  );
  return {
    values: { attempts: attempts.length, ...Object.fromEntries(lists), deliveriesEnded: attempts.length },
    dimensions: { outcome_class: '2xx', status: 'delivered' },
  };
}

function outcomeValues(outcome: RecordedOutcome): Values {
  return { attemptDuration: outcome.entry.durationMs, ...firstPostLatency(outcome) };
}

/**
 * Only an answered attempt shows when its POST was sent. The id of an event holds the time at which the event was
 * accepted, by the clock of another function.
 */
function firstPostLatency({ delivery, attempt, entry: { at, timings } }: RecordedOutcome): Values {
  const isFirst = attempt === 1 && delivery.replayOf === null && !isHandshake(delivery);
  if (!isFirst || timings.firstByteMs === null || !isOwnId('event', delivery.event.id)) return {};
  const sentAt = at + (timings.dnsMs ?? 0) + (timings.connectMs ?? 0) + (timings.tlsMs ?? 0);
  return { firstPostLatency: Math.max(0, sentAt - idTime(delivery.event.id)) };
}

const intakeMetrics = {
  accepted: 'intakeAccepted',
  repeated: 'intakeRepeated',
  unknown_customer: 'intakeUnknownCustomer',
  retried: 'intakeRetried',
} as const satisfies Readonly<Record<IntakeResult, MetricKey>>;

/** A result without messages has no value. */
function intakeValues(results: readonly IntakeResult[]): Values {
  const counted = [...Map.groupBy(results, (result) => intakeMetrics[result])];
  return Object.fromEntries(counted.map(([key, group]) => [key, group.length]));
}

function auditValues(event: TelemetryEvent<'audit.done'>): Values {
  return {
    auditPending: event.deliveries.pending,
    auditOverdue: event.pending.overdue,
    auditStranded: event.pending.stranded,
    auditOldestStranded: event.oldestStranded,
    auditStalledReplays: event.stalledReplays,
    auditIncomplete: event.complete ? 0 : 1,
  };
}

/** The API answers with neither 1xx nor 3xx. */
function statusClassOf(status = 500): StatusClass {
  if (status >= 500) return '5xx';
  return status >= 400 ? '4xx' : '2xx';
}
