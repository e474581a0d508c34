import { Color, type IWidget } from 'aws-cdk-lib/aws-cloudwatch';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import { failedShares } from '../alarms/attempt-alarms.ts';
import { logQueries } from '../log-queries.ts';
import type { ServiceMetrics } from '../service-metrics.ts';
import { graph, logTable, namesOf, period, question } from './section.ts';

export type DashboardLogs = {
  /** Of the functions that make attempts. */
  readonly attempts: readonly ILogGroup[];
  readonly intake: ILogGroup;
  /** Of every function outside the API. */
  readonly functions: readonly ILogGroup[];
  /** Name of the log group of the API's access log. */
  readonly access: string;
};

/** Which endpoints, errors, steps and operations fail. */
export function whoFails(metrics: ServiceMetrics, logs: DashboardLogs): IWidget[][] {
  const attempts = namesOf(logs.attempts);
  return [
    [
      question(
        'Who is failing?',
        'One high group is a receiver; most groups high is the service. The tables read the logs of the time range.',
        ['receivers-fail', 'our-egress-or-dns-is-down', 'a-function-fails-again-and-again'],
      ),
    ],
    [
      graph('Share of attempts that failed, by group of endpoints', 2, {
        left: Object.values(failedShares(metrics, period)),
        leftYAxis: { min: 0, max: 1 },
        leftAnnotations: [{ value: 0.5, label: 'Most attempts fail', color: Color.RED }],
      }),
      logTable('Endpoints with the most failed attempts', attempts, logQueries.failingEndpoints),
    ],
    [
      logTable('Failed attempts, by error', attempts, logQueries.attemptErrors),
      logTable('API requests that failed, by operation', [logs.access], logQueries.apiServerErrors),
    ],
    [
      logTable('Failed steps of the service itself', namesOf(logs.functions), logQueries.failedSteps),
      logTable('Intake messages that were refused', namesOf([logs.intake]), logQueries.refusedMessages),
    ],
  ];
}
