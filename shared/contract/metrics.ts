import { type EndpointGroup, endpointGroups } from '#shared/domain/endpoint-group.ts';
import { outcomeClasses } from '#shared/domain/outcome-class.ts';
import type { OperationName } from './routes.ts';

/** The service's own metrics, which functions publish and `lib/` sets alarms on. */
export const metricNamespace = 'Webhooks';

/** Dimension that names the deployment. */
export const stageDimension = 'stage';

/**
 * 1 for each recorded attempt at a group of endpoints that was not acknowledged, else 0: the average is the share that
 * failed. Without handshakes, which go to endpoints that have never worked. The name has the group, because the line of
 * a batch is about several groups, and has one value for each dimension.
 */
function attemptFailedIn<Group extends EndpointGroup>(group: Group) {
  return { name: `AttemptFailed${group}`, unit: 'Count', dimensions: ['stage'] } as const;
}

/**
 * The metrics in the log lines of the functions. CloudWatch stores one metric for each name and combination of dimension
 * values; a metric that gets no value for an hour costs nothing in it.
 */
export const metrics = {
  /** 1 for each recorded attempt, handshakes included. */
  attempts: { name: 'Attempts', unit: 'Count', dimensions: ['stage', 'outcome_class'] },
  attemptFailed0: attemptFailedIn('0'),
  attemptFailed1: attemptFailedIn('1'),
  attemptFailed2: attemptFailedIn('2'),
  attemptFailed3: attemptFailedIn('3'),
  attemptFailed4: attemptFailedIn('4'),
  attemptFailed5: attemptFailedIn('5'),
  attemptFailed6: attemptFailedIn('6'),
  attemptFailed7: attemptFailedIn('7'),
  /** Of each attempt, from its start to its outcome. An interrupted attempt has none. */
  attemptDuration: { name: 'AttemptDuration', unit: 'Milliseconds', dimensions: ['stage'] },
  /**
   * From the acceptance of an event to the moment when its first POST was sent to an endpoint. Without replays,
   * handshakes, and attempts that could not connect.
   */
  firstPostLatency: { name: 'FirstPostLatency', unit: 'Milliseconds', dimensions: ['stage'] },
  /** 1 for each delivery that ends, handshakes included. */
  deliveriesEnded: { name: 'DeliveriesEnded', unit: 'Count', dimensions: ['stage', 'status'] },
  /** Intake messages whose effects are stored and queued. */
  intakeAccepted: { name: 'IntakeAccepted', unit: 'Count', dimensions: ['stage'] },
  /** Intake messages about a Run or Change Report whose event an earlier message had created. */
  intakeRepeated: { name: 'IntakeRepeated', unit: 'Count', dimensions: ['stage'] },
  /** Intake messages that are malformed. They go to the dead-letter queue. */
  intakeRefused: { name: 'IntakeRefused', unit: 'Count', dimensions: ['stage'] },
  /** Intake messages about a customer that does not exist. They go to the dead-letter queue. */
  intakeUnknownCustomer: { name: 'IntakeUnknownCustomer', unit: 'Count', dimensions: ['stage'] },
  /** Intake messages that stay on the queue because a step failed; each receipt counts. */
  intakeRetried: { name: 'IntakeRetried', unit: 'Count', dimensions: ['stage'] },
  /**
   * Of the delivery that is overdue for the longest time, when a sweep finds it: how long ago its next attempt was due.
   * No value when nothing is overdue.
   */
  oldestOverdue: { name: 'OldestOverdueAge', unit: 'Milliseconds', dimensions: ['stage'] },
  /**
   * Of the oldest message that a function returned to its queue: how long ago it was sent. SQS leaves messages that were
   * received three times out of its own metric of the oldest message.
   */
  oldestReturned: { name: 'OldestReturnedAge', unit: 'Milliseconds', dimensions: ['stage', 'queue'] },
  /** Audited deliveries that are pending. */
  auditPending: { name: 'PendingDeliveries', unit: 'Count', dimensions: ['stage'] },
  /** Pending deliveries that the sweep should have queued. */
  auditOverdue: { name: 'OverdueDeliveries', unit: 'Count', dimensions: ['stage'] },
  /** Pending deliveries that no worker, message or sweep would continue. */
  auditStranded: { name: 'StrandedDeliveries', unit: 'Count', dimensions: ['stage'] },
  /** Age of the oldest stranded delivery; 0 when there is none. */
  auditOldestStranded: { name: 'OldestStrandedAge', unit: 'Seconds', dimensions: ['stage'] },
  /** Running bulk replays that no message continues. */
  auditStalledReplays: { name: 'StalledReplays', unit: 'Count', dimensions: ['stage'] },
  /** 1 when the audit ran out of time, else 0. */
  auditIncomplete: { name: 'AuditIncomplete', unit: 'Count', dimensions: ['stage'] },
  /** 1 for each request that a function of the API answered. */
  apiRequests: {
    name: 'ApiRequests',
    unit: 'Count',
    dimensions: ['stage', 'operation', 'status_class'],
  },
} as const satisfies Readonly<Record<string, MetricDefinition>>;

/** The averages of these are the shares of failed attempts. */
export const attemptFailedMetrics = endpointGroups.map((group) => ({
  group,
  key: `attemptFailed${group}` as const,
}));

export type MetricDefinition = {
  readonly name: string;
  readonly unit: 'Count' | 'Milliseconds' | 'Seconds';
  /** In the order in which log lines list them. */
  readonly dimensions: readonly DimensionName[];
};

export type MetricKey = keyof typeof metrics;

/**
 * Statuses with which deliveries end. `cancelled`: the endpoint was deleted before the next attempt; the API shows such
 * a delivery as `failed`.
 */
const endStatuses = ['delivered', 'failed', 'cancelled'] as const;

/** The queues that functions consume. */
const consumedQueues = ['intake', 'delivery', 'slow_delivery', 'replay'] as const;

/** Classes of the statuses that the API answers with. */
export const statusClasses = ['2xx', '4xx', '5xx'] as const;
export type StatusClass = (typeof statusClasses)[number];

/**
 * The values of each dimension that has few. `stage` is the name of the deployment; `operation` is one of
 * `operationNames` in routes.ts, which functions without an API do not carry in their bundles.
 */
export const dimensionValues = {
  outcome_class: outcomeClasses,
  status: endStatuses,
  queue: consumedQueues,
  status_class: statusClasses,
} as const;

export type DimensionName = typeof stageDimension | keyof typeof dimensionValues | 'operation';

/** The dimensions of a metric with their values, as a line carries them and an alarm asks for them. */
export type DimensionsOf<Key extends MetricKey> = {
  readonly [name in (typeof metrics)[Key]['dimensions'][number]]: name extends keyof typeof dimensionValues
    ? (typeof dimensionValues)[name][number]
    : name extends 'operation'
      ? OperationName
      : string;
};
