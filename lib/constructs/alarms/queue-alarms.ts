import { Duration } from 'aws-cdk-lib';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { runbookAnchors } from '../../runbook.ts';
import type { QueueWithDeadLetters } from '../queue-with-dead-letters.ts';
import type { AddAlarm, AlarmText } from './add-alarm.ts';

export type WatchedQueues = Readonly<
  Record<'intake' | 'delivery' | 'slowDelivery' | 'replay', QueueWithDeadLetters>
>;

/** Alarms for dead letters, and for messages that wait too long. */
export function watchQueues(add: AddAlarm, { intake, delivery, slowDelivery, replay }: WatchedQueues): void {
  onDeadLetters(add, 'IntakeDeadLetters', intake.deadLetters, {
    summary: 'Messages from the Run engine that could not be processed are in a dead-letter queue',
    runbook: runbookAnchors.intakeDeadLetters,
  });
  onDeadLetters(add, 'DeliveryDeadLetters', delivery.deadLetters, {
    summary: 'Deliveries that could not be attempted are in a dead-letter queue',
    runbook: runbookAnchors.deliveryDeadLetters,
  });
  onBacklog(add, 'IntakeBacklog', intake.queue, {
    summary: 'The oldest message from the Run engine has waited for four minutes',
    runbook: runbookAnchors.intakeBacklog,
  });
  onBacklog(add, 'DeliveryBacklog', delivery.queue, {
    summary: 'The oldest due delivery has waited for four minutes',
    runbook: runbookAnchors.deliveryBacklog,
  });
  watchSlowLane(add, slowDelivery.queue);
  watchReplays(add, replay);
}

function onDeadLetters(add: AddAlarm, id: string, queue: Queue, text: AlarmText): void {
  const metric = queue.metricApproximateNumberOfMessagesVisible({
    period: Duration.minutes(1),
    statistic: 'max',
  });
  add(id, { ...text, metric, threshold: 1, severity: 'page' });
}

/**
 * SQS excludes messages that were received three times from this metric, which takes six minutes with a visibility
 * timeout of three. So a single minute above four must trigger the alarm: otherwise a few messages that all fail would
 * go unnoticed.
 */
function onBacklog(add: AddAlarm, id: string, queue: Queue, text: AlarmText): void {
  const metric = queue.metricApproximateAgeOfOldestMessage({ period: Duration.minutes(1) });
  add(id, { ...text, metric, threshold: Duration.minutes(4).toSeconds(), severity: 'page' });
}

/**
 * Slow endpoints may fill their lane without any fault of the service, so nobody is paged. Five minutes is the longest
 * time that a message which always fails reliably shows: after six, this queue's visibility timeout removes it from the
 * metric, as `onBacklog` explains.
 */
function watchSlowLane(add: AddAlarm, queue: Queue): void {
  add('SlowDeliveryBacklog', {
    metric: queue.metricApproximateAgeOfOldestMessage({ period: Duration.minutes(1) }),
    threshold: Duration.minutes(5).toSeconds(),
    severity: 'ticket',
    summary: 'The oldest due delivery to a slow endpoint has waited for five minutes',
    runbook: runbookAnchors.slowDeliveryBacklog,
  });
}

/** A bulk replay can wait for an operator: what it sends has failed before, and the job goes on where it stopped. */
function watchReplays(add: AddAlarm, { queue, deadLetters }: QueueWithDeadLetters): void {
  add('ReplayDeadLetters', {
    metric: deadLetters.metricApproximateNumberOfMessagesVisible({
      period: Duration.minutes(1),
      statistic: 'max',
    }),
    threshold: 1,
    severity: 'ticket',
    summary: 'Bulk replays that could not go on are in a dead-letter queue',
    runbook: runbookAnchors.replayDeadLetters,
  });
  add('ReplayBacklog', {
    metric: queue.metricApproximateAgeOfOldestMessage({ period: Duration.minutes(1) }),
    threshold: Duration.minutes(4).toSeconds(),
    severity: 'ticket',
    summary: 'The next step of a bulk replay has waited for four minutes',
    runbook: runbookAnchors.replayBacklog,
  });
}
