import { Duration } from 'aws-cdk-lib';
import { type IMetric, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { tableSchema } from '#shared/contract/table-schema.ts';
import { runbookAnchors } from '../runbook.ts';
import type { AddAlarm } from './add-alarm.ts';
import { sumOfMetrics } from './sum-of-metrics.ts';

export type NamedTable = { readonly tableName: string };

/**
 * An alarm for throttled reads and writes of the table and its indexes. The SDK retries a throttled call, so an
 * occasional one does no harm: only throttles in each of three periods raise the alarm.
 */
export function watchTable(add: AddAlarm, table: NamedTable): void {
  add('TableThrottles', {
    metric: sumOfMetrics(throttlesOf(table), Duration.minutes(5)),
    threshold: 1,
    periods: 3,
    severity: 'ticket',
    summary: 'DynamoDB has throttled reads or writes of the table for fifteen minutes',
    runbook: runbookAnchors.tableThrottles,
  });
}

/** Reads and writes of the table and of each index. */
function throttlesOf({ tableName }: NamedTable): Record<string, IMetric> {
  const places = [
    ['table', { TableName: tableName }],
    ...Object.entries(tableSchema.indexes).map(
      ([key, { name }]) => [key, { TableName: tableName, GlobalSecondaryIndexName: name }] as const,
    ),
  ] as const;
  const metrics = places.flatMap(([place, dimensionsMap]) =>
    (['Read', 'Write'] as const).map((kind) => {
      const metricName = `${kind}ThrottleEvents`;
      const metric = new Metric({ namespace: 'AWS/DynamoDB', metricName, dimensionsMap, statistic: 'sum' });
      return [`${place}${kind}s`, metric] as const;
    }),
  );
  return Object.fromEntries(metrics);
}
