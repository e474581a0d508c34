import { Color, type IWidget } from 'aws-cdk-lib/aws-cloudwatch';
import type { ServiceFunction } from '../../constructs/service-function.ts';
import { failedShares } from '../alarms/failure-alarms.ts';
import { logQueries } from '../log-queries.ts';
import { functionsOutsideApi, type WatchedStage } from '../watched-stage.ts';
import { graph, logTable, period, question } from './section.ts';

/** Which endpoints, errors, steps and operations fail. */
export function whoFails(stage: WatchedStage): IWidget[][] {
  const { metrics, api, consumers } = stage;
  const logsOf = (functions: readonly ServiceFunction[]) => functions.map(({ logGroup }) => logGroup.logGroupName);
  const attempts = logsOf([consumers.deliver, consumers.deliverSlow]);
  const all = logsOf(Object.values(functionsOutsideApi(stage)));
  return [
    question(
      'Who is failing?',
      'One high group is a receiver; most groups high is the service. The tables read the logs of the time range.',
      ['receivers-fail', 'our-egress-or-dns-is-down', 'a-function-fails-again-and-again'],
    ),
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
      logTable('API requests that failed, by operation', [api.accessLogName()], logQueries.apiServerErrors),
    ],
    [
      logTable('Failed steps of the service itself', all, logQueries.failedSteps),
      logTable('Intake messages that were refused', logsOf([consumers.intake]), logQueries.refusedMessages),
    ],
  ];
}
