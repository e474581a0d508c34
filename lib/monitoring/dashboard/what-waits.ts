import { Duration } from 'aws-cdk-lib';
import type { IMetric, IWidget } from 'aws-cdk-lib/aws-cloudwatch';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { dimensionValues, type MetricKey } from '#shared/contract/metrics.ts';
import type { WatchedStage } from '../watched-stage.ts';
import { graph, highest, period, question } from './section.ts';

type AuditMetric = Extract<MetricKey, `audit${string}`>;

/** What is late, what is stuck, and since when. */
export function whatWaits(stage: WatchedStage): IWidget[][] {
  const { metrics } = stage;
  const queues = queuesOf(stage);
  const audited = (key: AuditMetric, label: string) =>
    metrics.outcome(key, {}, { statistic: 'max', period: Duration.hours(1), label });
  return [
    question('What waits?', 'Ages stay below four minutes, and the other three graphs near zero.', [
      'deliveries-wait-too-long',
      'messages-in-the-delivery-dead-letter-queue',
      'deliveries-are-overdue',
    ]),
    [
      graph('Seconds that the oldest message has waited', 4, {
        left: queues.map(([label, queue]) => queue.metricApproximateAgeOfOldestMessage({ ...highest, label })),
        right: [
          metrics.outcome('oldestOverdue', {}, { ...highest, label: 'Overdue delivery, in milliseconds' }),
          ...dimensionValues.queue.map((queue) => {
            const label = `Returned to ${queue}, in milliseconds`;
            return metrics.outcome('oldestReturned', { queue }, { ...highest, label });
          }),
        ],
      }),
      graph('Messages that wait in a queue', 4, { left: queues.map(visibleMessages) }),
      graph('Dead letters', 4, { left: deadLetters(stage) }),
      graph('Deliveries that had not ended after six hours, each hour', 4, {
        left: [
          audited('auditPending', 'Pending'),
          audited('auditOverdue', 'Overdue'),
          audited('auditStranded', 'Stranded'),
          audited('auditStalledReplays', 'Stalled bulk replays'),
          audited('auditIncomplete', 'Audit incomplete'),
        ],
        right: [audited('auditOldestStranded', 'Age of the oldest stranded, in seconds')],
      }),
    ],
  ];
}

type NamedQueue = readonly [label: string, queue: IQueue];

/** The queues with their names in the legend. */
export function queuesOf({ data: { intake, delivery, slowDelivery, replay } }: WatchedStage): NamedQueue[] {
  return [
    ['Intake', intake.queue],
    ['Delivery', delivery.queue],
    ['Slow delivery', slowDelivery.queue],
    ['Replay', replay.queue],
  ];
}

/** The number of messages in each dead-letter queue. */
function deadLetters({ data: { intake, delivery, replay, bus }, notices }: WatchedStage): IMetric[] {
  return [
    visibleMessages(['Intake', intake.deadLetters]),
    visibleMessages(['Delivery', delivery.deadLetters]),
    visibleMessages(['Replay', replay.deadLetters]),
    ...(bus === undefined ? [] : [bus.deadLetterCount(period).with({ label: 'Event bus' })]),
    ...(notices === undefined ? [] : [visibleMessages(['Notices', notices.queue.deadLetters])]),
  ];
}

/** Messages that can be received: not those that a function holds, and not delayed ones. */
function visibleMessages([label, queue]: NamedQueue): IMetric {
  return queue.metricApproximateNumberOfMessagesVisible({ ...highest, label });
}
