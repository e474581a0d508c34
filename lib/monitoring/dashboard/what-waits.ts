import { Duration } from 'aws-cdk-lib';
import type { IMetric, IWidget } from 'aws-cdk-lib/aws-cloudwatch';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { dimensionValues, type MetricKey } from '#shared/contract/metrics.ts';
import type { ServiceMetrics } from '../service-metrics.ts';
import { graph, highest, question } from './section.ts';

type AuditMetric = Extract<MetricKey, `audit${string}`>;

/** Queues by their name in the legend. */
export type NamedQueues = Readonly<Record<string, IQueue>>;

/** What is late, what is stuck, and since when. */
export function whatWaits(
  metrics: ServiceMetrics,
  queues: NamedQueues,
  deadLetters: readonly IMetric[],
): IWidget[][] {
  const each = <T>(named: NamedQueues, metric: (queue: IQueue, label: string) => T): T[] =>
    Object.entries(named).map(([label, queue]) => metric(queue, label));
  const audited = (key: AuditMetric, label: string) =>
    metrics.outcome(key, {}, { statistic: 'max', period: Duration.hours(1), label });
  return [
    [
      question('What waits?', 'Ages stay below four minutes, and the other three graphs near zero.', [
        'deliveries-wait-too-long',
        'messages-in-the-delivery-dead-letter-queue',
        'deliveries-are-overdue',
      ]),
    ],
    [
      graph('Seconds that the oldest message has waited', 4, {
        left: each(queues, (queue, label) =>
          queue.metricApproximateAgeOfOldestMessage({ ...highest, label }),
        ),
        right: [
          metrics.outcome('oldestOverdue', {}, { ...highest, label: 'Overdue delivery, in milliseconds' }),
          ...dimensionValues.queue.map((queue) =>
            metrics.outcome(
              'oldestReturned',
              { queue },
              { ...highest, label: `Returned to ${queue}, in milliseconds` },
            ),
          ),
        ],
      }),
      graph('Messages that wait in a queue', 4, { left: each(queues, visibleMessages) }),
      graph('Dead letters', 4, { left: [...deadLetters] }),
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

/** Messages that can be received: not those that a function holds, and not delayed ones. */
export function visibleMessages(queue: IQueue, label: string): IMetric {
  return queue.metricApproximateNumberOfMessagesVisible({ ...highest, label });
}
