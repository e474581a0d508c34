import { Duration } from 'aws-cdk-lib';
import { MathExpression } from 'aws-cdk-lib/aws-cloudwatch';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { DimensionsOf } from '#shared/contract/metrics.ts';
import type { QueueWithDeadLetters } from '../../constructs/queue-with-dead-letters.ts';
import type { AlarmProps, Alarms } from '../actionable-alarm.ts';
import type { ServiceMetrics } from '../service-metrics.ts';
import type { WatchedStage } from '../watched-stage.ts';

/** The queue, as the metric of returned messages names it. */
type QueueName = DimensionsOf<'oldestReturned'>['queue'];

/** What an alarm watches, and from when on. */
type Watched = Pick<AlarmProps, 'metric' | 'threshold' | 'periods' | 'breaching'>;

const period = Duration.minutes(1);

/**
 * Alarms for dead letters, and for messages that wait too long. Slow endpoints may fill their lane without any fault of
 * the service, so nobody is paged. A bulk replay can wait for an operator: what it sends has failed before, and the job
 * goes on where it stopped.
 */
export function queueAlarms({ metrics, data }: WatchedStage): Alarms {
  const { intake, delivery, slowDelivery, replay } = data;
  return {
    IntakeDeadLetters: {
      ...deadLetters(intake),
      severity: 'page',
      summary: 'Messages from the Run engine that could not be processed are in a dead-letter queue',
      runbook: 'messages-in-the-intake-dead-letter-queue',
    },
    DeliveryDeadLetters: {
      ...deadLetters(delivery),
      severity: 'page',
      summary: 'Deliveries that could not be attempted are in a dead-letter queue',
      runbook: 'messages-in-the-delivery-dead-letter-queue',
    },
    IntakeBacklog: {
      ...backlog(metrics, 'intake', intake.queue, 4),
      severity: 'page',
      summary: 'The oldest message from the Run engine has waited for four minutes',
      runbook: 'intake-waits-too-long',
    },
    DeliveryBacklog: {
      ...backlog(metrics, 'delivery', delivery.queue, 4),
      severity: 'page',
      summary: 'The oldest due delivery has waited for four minutes',
      runbook: 'deliveries-wait-too-long',
    },
    SlowDeliveryBacklog: {
      ...backlog(metrics, 'slow_delivery', slowDelivery.queue, 5),
      severity: 'ticket',
      summary: 'The oldest due delivery to a slow endpoint has waited for five minutes',
      runbook: 'deliveries-to-slow-endpoints-wait-too-long',
    },
    ReplayDeadLetters: {
      ...deadLetters(replay),
      severity: 'ticket',
      summary: 'Bulk replays that could not go on are in a dead-letter queue',
      runbook: 'messages-in-the-replay-dead-letter-queue',
    },
    ReplayBacklog: {
      ...backlog(metrics, 'replay', replay.queue, 4),
      severity: 'ticket',
      summary: 'The next step of a bulk replay has waited for four minutes',
      runbook: 'a-bulk-replay-does-not-go-on',
    },
  };
}

/** Alarms for events of the bus that did not arrive in the intake queue. */
export function busAlarms({ data: { bus } }: WatchedStage): Alarms {
  if (bus === undefined) return {};
  const lost = { threshold: 1, severity: 'page', runbook: 'events-of-the-bus-do-not-arrive' } as const;
  return {
    BusDeadLetters: {
      ...lost,
      metric: bus.deadLetterCount(period),
      summary: 'Events of the bus that could not be sent to the intake queue are in a dead-letter queue',
    },
    BusFailedInvocations: {
      ...lost,
      metric: bus.failedInvocations(period),
      summary: 'EventBridge could not send events of the bus to the intake queue',
    },
  };
}

/** An alarm for notices that the operator did not get. */
export function noticeAlarms({ notices }: WatchedStage): Alarms {
  if (notices === undefined) return {};
  return {
    NoticeDeadLetters: {
      ...deadLetters(notices.queue),
      severity: 'ticket',
      summary: 'Notices about failing endpoints that could not be sent are in a dead-letter queue',
      runbook: 'notices-do-not-arrive',
    },
  };
}

function deadLetters({ deadLetters: queue }: QueueWithDeadLetters): Watched {
  const metric = queue.metricApproximateNumberOfMessagesVisible({ period, statistic: 'max' });
  return { metric, threshold: 1 };
}

/**
 * The age of the oldest message, by SQS and by the function. SQS leaves out messages that were received three times,
 * which a message that fails is within seconds. The function knows the age of what it returns, but not of what waits
 * for it. Returned messages come back at last every three minutes, so a single minute must trigger the alarm. CloudWatch
 * gets a value minutes late, and FILL has put 0 in its place by then: an alarm over the last minute alone reads only that.
 */
function backlog(metrics: ServiceMetrics, name: QueueName, queue: Queue, minutes: number): Watched {
  const waiting = queue.metricApproximateAgeOfOldestMessage({ period, statistic: 'max' });
  const returned = metrics.outcome('oldestReturned', { queue: name }, { period, statistic: 'max' });
  const metric = new MathExpression({
    // In seconds. A metric without data has no value, and without FILL neither would the comparison.
    expression: 'IF(FILL(waiting, 0) > FILL(returned, 0) / 1000, FILL(waiting, 0), FILL(returned, 0) / 1000)',
    usingMetrics: { waiting, returned },
    label: 'Age of the oldest message',
    period,
  });
  return { metric, threshold: Duration.minutes(minutes).toSeconds(), periods: 5, breaching: 1 };
}
