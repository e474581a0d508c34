import { type IWidget, MathExpression, type Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { metricNamespace, metrics as published } from '#shared/contract/metrics.ts';
import type { ServiceMetrics } from '../service-metrics.ts';
import { graph, percentiles, period, question, sum } from './section.ts';

/** API Gateway's metrics of the API. */
export type ApiMetrics = Readonly<Record<'requests' | 'refused' | 'failed' | 'latency', Metric>>;

/** Whether events arrive, and whether the API answers. */
export function eventsIn(metrics: ServiceMetrics, intake: IQueue, api: ApiMetrics): IWidget[][] {
  const sent = intake.metricNumberOfMessagesSent({ ...sum, label: 'Sent to the intake queue' });
  const results = intakeResults.map(([key, label]) => metrics.outcome(key, {}, { ...sum, label }));
  return [
    [
      question(
        'Do events come in?',
        'Accepted follows sent. Refused and unknown customer are dead letters; retried is a fault of the service.',
        [
          'messages-in-the-intake-dead-letter-queue',
          'intake-waits-too-long',
          'the-api-answers-with-server-errors',
        ],
      ),
    ],
    [
      graph('Intake messages, by result', 4, { left: [sent, ...results] }),
      graph('API requests', 4, { left: [api.requests, api.refused, api.failed] }),
      graph('API requests, by operation and status class', 4, { left: [apiRequests(metrics)] }),
      graph('Milliseconds of an API request', 4, { left: percentiles(api.latency) }),
    ],
  ];
}

const intakeResults = [
  ['intakeAccepted', 'Accepted'],
  ['intakeRepeated', 'Repeated'],
  ['intakeRefused', 'Refused'],
  ['intakeUnknownCustomer', 'Unknown customer'],
  ['intakeRetried', 'Retried'],
] as const;

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
