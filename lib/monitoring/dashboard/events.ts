import { type IWidget, MathExpression } from 'aws-cdk-lib/aws-cloudwatch';
import { dimensionValues, metricNamespace, metrics as published } from '#shared/contract/metrics.ts';
import type { ServiceMetrics } from '../service-metrics.ts';
import type { WatchedStage } from '../watched-stage.ts';
import { graph, percentiles, period, question, sum } from './section.ts';

const intakeResults = [
  ['intakeAccepted', 'Accepted'],
  ['intakeRepeated', 'Repeated'],
  ['intakeRefused', 'Refused'],
  ['intakeUnknownCustomer', 'Unknown customer'],
  ['intakeRetried', 'Retried'],
] as const;

/** Whether events arrive, and whether the API answers. */
export function eventsIn({ metrics, data: { intake }, api: { api } }: WatchedStage): IWidget[][] {
  const sent = intake.queue.metricNumberOfMessagesSent({ ...sum, label: 'Sent to the intake queue' });
  const results = intakeResults.map(([key, label]) => metrics.outcome(key, {}, { ...sum, label }));
  const requests = [
    api.metricCount({ statistic: 'Sum', period, label: 'Requests' }),
    api.metricClientError({ statistic: 'Sum', period, label: '4xx' }),
    api.metricServerError({ statistic: 'Sum', period, label: '5xx' }),
  ];
  return [
    question(
      'Do events come in?',
      'Accepted follows sent. Refused and unknown customer are dead letters; retried is a fault of the service.',
      ['messages-in-the-intake-dead-letter-queue', 'intake-waits-too-long', 'the-api-answers-with-server-errors'],
    ),
    [
      graph('Intake messages, by result', 4, { left: [sent, ...results] }),
      graph('API requests', 4, { left: requests }),
      graph('API requests, by operation and status class', 4, { left: [apiRequests(metrics)] }),
      graph('Milliseconds of an API request', 4, { left: percentiles(api.metricLatency({ period })) }),
    ],
  ];
}

/** One line for each operation and class that had requests; a search costs one entry instead of one for each. */
function apiRequests({ stage }: ServiceMetrics): MathExpression {
  const { name, dimensions } = published.apiRequests;
  const schema = [metricNamespace, ...dimensions].join(',');
  return new MathExpression({
    expression: `SEARCH('{${schema}} MetricName="${name}" stage="${stage}"', 'Sum', ${period.toSeconds()})`,
    usingMetrics: {},
    label: '',
    period,
  });
}

/** Whether deliveries reach their endpoints, and how fast. */
export function eventsOut({ metrics }: WatchedStage): IWidget[][] {
  const attempts = dimensionValues.outcome_class.map((outcome) =>
    metrics.outcome('attempts', { outcome_class: outcome }, { ...sum, label: outcome }),
  );
  const ended = dimensionValues.status.map((status) =>
    metrics.outcome('deliveriesEnded', { status }, { ...sum, label: status }),
  );
  const latency = metrics.outcome('firstPostLatency', {}, { period });
  const duration = metrics.outcome('attemptDuration', {}, { period });
  return [
    question(
      'Do they go out?',
      'Most attempts are 2xx, and most deliveries end delivered. dns, connect and tls that rise together point to the service.',
      ['our-egress-or-dns-is-down', 'receivers-fail', 'a-customer-says-nothing-came'],
    ),
    [
      graph('Attempts, by outcome', 4, { left: attempts, stacked: true }),
      graph('Deliveries ended, by status', 4, { left: ended, stacked: true }),
      graph('Milliseconds from event to first POST', 4, { left: percentiles(latency) }),
      graph('Milliseconds of an attempt', 4, { left: percentiles(duration) }),
    ],
  ];
}
