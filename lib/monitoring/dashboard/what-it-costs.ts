import { type IMetric, type IWidget, MathExpression, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { type NamedTable, tableMetrics } from '../alarms/table-alarms.ts';
import { graph, namesOf, period, question, sum } from './section.ts';
import type { NamedQueues } from './what-waits.ts';
import type { DashboardLogs } from './who-fails.ts';

/** Functions with their memory in megabytes, by their name in the legend. */
export type MeasuredFunctions = Readonly<
  Record<string, { readonly lambda: LambdaFunction; readonly memory: number }>
>;

export type CostProps = {
  readonly table: NamedTable;
  readonly functions: MeasuredFunctions;
  readonly logs: DashboardLogs;
  readonly queues: NamedQueues;
};

/** What AWS bills for, in its own units. */
export function whatItCosts({ table, functions, logs, queues }: CostProps): IWidget[][] {
  const named = Object.entries(functions);
  return [
    [
      question(
        'What does it cost?',
        'Units for five minutes, as AWS bills them: docs/scaling.md has their prices. API requests are above.',
        [],
      ),
    ],
    [
      graph('Units of the table and its indexes', 4, { left: unitsOf(table), stacked: true }),
      graph('Invocations of the functions outside the API', 4, {
        left: named.map(([label, { lambda }]) => lambda.metricInvocations({ ...sum, label })),
        stacked: true,
      }),
      graph('GB-seconds of the functions outside the API', 4, {
        left: named.map(([label, each], index) => gigabyteSeconds(label, each, index)),
        stacked: true,
      }),
      graph('Bytes of logs, and receives of an empty queue', 4, {
        left: [...namesOf(logs.functions), logs.access].map(logBytes),
        right: Object.entries(queues).map(([label, queue]) =>
          queue.metricNumberOfEmptyReceives({ ...sum, label: `Empty: ${label}` }),
        ),
      }),
    ],
  ];
}

function unitsOf(table: NamedTable): IMetric[] {
  return tableMetrics(table, (kind) => `Consumed${kind}CapacityUnits`).map(({ place, kind, metric }) =>
    metric.with({ period, label: `${kind}s of ${place === 'table' ? 'the table' : place}` }),
  );
}

function gigabyteSeconds(
  label: string,
  { lambda, memory }: MeasuredFunctions[string],
  index: number,
): MathExpression {
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
