import { Duration } from 'aws-cdk-lib';
import { MathExpression } from 'aws-cdk-lib/aws-cloudwatch';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { DimensionsOf } from '#shared/contract/metrics.ts';
import type { QueueWithDeadLetters } from '../../constructs/queue-with-dead-letters.ts';
import type { ActionableAlarmProps } from '../actionable-alarm.ts';
import { runbookAnchors } from '../runbook.ts';
import type { ServiceMetrics } from '../service-metrics.ts';
import type { AddAlarm, AlarmText } from './add-alarm.ts';

export type WatchedQueues = Readonly<
  Record<'intake' | 'delivery' | 'slowDelivery' | 'replay', QueueWithDeadLetters>
>;

type Backlog = Pick<ActionableAlarmProps, 'severity' | 'summary' | 'runbook'> & {
  readonly queue: Queue;
  readonly waits: Duration;
  /** The queue, as the metric of returned messages names it. */
  readonly name: DimensionsOf<'oldestReturned'>['queue'];
};

/** Alarms for dead letters, and for messages that wait too long. */
export function watchQueues(
  add: AddAlarm,
  metrics: ServiceMetrics,
  { intake, delivery, slowDelivery, replay }: WatchedQueues,
): void {
  onDeadLetters(add, 'IntakeDeadLetters', intake.deadLetters, {
    summary: 'Messages from the Run engine that could not be processed are in a dead-letter queue',
    runbook: runbookAnchors.intakeDeadLetters,
  });
  onDeadLetters(add, 'DeliveryDeadLetters', delivery.deadLetters, {
    summary: 'Deliveries that could not be attempted are in a dead-letter queue',
    runbook: runbookAnchors.deliveryDeadLetters,
  });
  onBacklog(add, 'IntakeBacklog', metrics, {
    queue: intake.queue,
    name: 'intake',
    waits: Duration.minutes(4),
    severity: 'page',
    summary: 'The oldest message from the Run engine has waited for four minutes',
    runbook: runbookAnchors.intakeBacklog,
  });
  onBacklog(add, 'DeliveryBacklog', metrics, {
    queue: delivery.queue,
    name: 'delivery',
    waits: Duration.minutes(4),
    severity: 'page',
    summary: 'The oldest due delivery has waited for four minutes',
    runbook: runbookAnchors.deliveryBacklog,
  });
  watchSlowLane(add, metrics, slowDelivery.queue);
  watchReplays(add, metrics, replay);
}

function onDeadLetters(
  add: AddAlarm,
  id: string,
  queue: Queue,
  text: AlarmText,
  severity: ActionableAlarmProps['severity'] = 'page',
): void {
  const metric = queue.metricApproximateNumberOfMessagesVisible({
    period: Duration.minutes(1),
    statistic: 'max',
  });
  add(id, { ...text, metric, threshold: 1, severity });
}

/**
 * The age of the oldest message, by SQS and by the function. SQS leaves out messages that were received three times,
 * which a message that fails is within seconds. The function knows the age of what it returns, but not of what waits
 * for it. Returned messages come back at last every three minutes, so a single minute must trigger the alarm.
 */
function onBacklog(
  add: AddAlarm,
  id: string,
  metrics: ServiceMetrics,
  { queue, name, waits, ...alarm }: Backlog,
): void {
  const period = Duration.minutes(1);
  const waiting = queue.metricApproximateAgeOfOldestMessage({ period, statistic: 'max' });
  const returned = metrics.outcome('oldestReturned', { queue: name }, { period, statistic: 'max' });
  const oldest = new MathExpression({
    // In seconds. A metric without data has no value, and without FILL neither would the comparison.
    expression: 'IF(FILL(waiting, 0) > FILL(returned, 0) / 1000, FILL(waiting, 0), FILL(returned, 0) / 1000)',
    usingMetrics: { waiting, returned },
    label: 'Age of the oldest message',
    period,
  });
  add(id, { ...alarm, metric: oldest, threshold: waits.toSeconds() });
}

/** Slow endpoints may fill their lane without any fault of the service, so nobody is paged. */
function watchSlowLane(add: AddAlarm, metrics: ServiceMetrics, queue: Queue): void {
  onBacklog(add, 'SlowDeliveryBacklog', metrics, {
    queue,
    name: 'slow_delivery',
    waits: Duration.minutes(5),
    severity: 'ticket',
    summary: 'The oldest due delivery to a slow endpoint has waited for five minutes',
    runbook: runbookAnchors.slowDeliveryBacklog,
  });
}

/** A bulk replay can wait for an operator: what it sends has failed before, and the job goes on where it stopped. */
function watchReplays(
  add: AddAlarm,
  metrics: ServiceMetrics,
  { queue, deadLetters }: QueueWithDeadLetters,
): void {
  const text = {
    summary: 'Bulk replays that could not go on are in a dead-letter queue',
    runbook: runbookAnchors.replayDeadLetters,
  };
  onDeadLetters(add, 'ReplayDeadLetters', deadLetters, text, 'ticket');
  onBacklog(add, 'ReplayBacklog', metrics, {
    queue,
    name: 'replay',
    waits: Duration.minutes(4),
    severity: 'ticket',
    summary: 'The next step of a bulk replay has waited for four minutes',
    runbook: runbookAnchors.replayBacklog,
  });
}
