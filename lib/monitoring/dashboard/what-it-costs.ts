import { type IMetric, type IWidget, MathExpression, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { ServiceFunction } from '../../constructs/service-function.ts';
import { tableMetrics } from '../alarms/summed-alarms.ts';
import { functionsOutsideApi, type WatchedStage } from '../watched-stage.ts';
import { graph, period, question, sum } from './section.ts';
import { queuesOf } from './what-waits.ts';

/** What AWS bills for, in its own units. */
export function whatItCosts(stage: WatchedStage): IWidget[][] {
  const functions = Object.entries(functionsOutsideApi(stage));
  const logs = [...functions.map(([, { logGroup }]) => logGroup.logGroupName), stage.api.accessLogName()];
  return [
    question(
      'What does it cost?',
      'Units for five minutes, as AWS bills them: docs/scaling.md has their prices. API requests are above.',
      [],
    ),
    [
      graph('Units of the table and its indexes', 4, { left: unitsOf(stage.data.table), stacked: true }),
      graph('Invocations of the functions outside the API', 4, {
        left: functions.map(([label, { lambda }]) => lambda.metricInvocations({ ...sum, label })),
        stacked: true,
      }),
      graph('GB-seconds of the functions outside the API', 4, {
        left: functions.map(([label, each], index) => gigabyteSeconds(label, each, index)),
        stacked: true,
      }),
      graph('Bytes of logs, and receives of an empty queue', 4, {
        left: logs.map(logBytes),
        right: queuesOf(stage).map(([label, queue]) =>
          queue.metricNumberOfEmptyReceives({ ...sum, label: `Empty: ${label}` }),
        ),
      }),
    ],
  ];
}

function unitsOf(table: TableV2): IMetric[] {
  return tableMetrics(table, (kind) => `Consumed${kind}CapacityUnits`).map(({ place, kind, metric }) =>
    metric.with({ period, label: `${kind}s of ${place === 'table' ? 'the table' : place}` }),
  );
}

function gigabyteSeconds(label: string, { lambda, memory }: ServiceFunction, index: number): MathExpression {
  const milliseconds = `milliseconds${index}`;
  return new MathExpression({
    expression: `${milliseconds} / 1000 * ${memory / 1024}`,
    usingMetrics: { [milliseconds]: lambda.metricDuration(sum) },
    label,
    period,
  });
}

function logBytes(logGroupName: string): Metric {
  return new Metric({
    ...sum,
    namespace: 'AWS/Logs',
    metricName: 'IncomingBytes',
    dimensionsMap: { LogGroupName: logGroupName },
  });
}
