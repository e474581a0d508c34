import { Duration } from 'aws-cdk-lib';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { tableSchema } from '#shared/contract/table-schema.ts';
import type { Alarms } from '../actionable-alarm.ts';
import { sumOfMetrics } from './sum-of-metrics.ts';

export type NamedTable = { readonly tableName: string };

/**
 * An alarm for throttled reads and writes of the table and its indexes. The SDK retries a throttled call, so an
 * occasional one does no harm: only throttles in each of three periods raise the alarm.
 */
export function tableAlarms(table: NamedTable): Alarms {
  const throttles = tableMetrics(table, (kind) => `${kind}ThrottleEvents`);
  const named = throttles.map(({ place, kind, metric }) => [`${place}${kind}s`, metric] as const);
  return {
    TableThrottles: {
      metric: sumOfMetrics(Object.fromEntries(named), Duration.minutes(5)),
      threshold: 1,
      periods: 3,
      severity: 'ticket',
      summary: 'DynamoDB has throttled reads or writes of the table for fifteen minutes',
      runbook: 'dynamodb-throttles-the-table',
    },
  };
}

/** A metric of the reads and of the writes of the table and of each index. */
export function tableMetrics({ tableName }: NamedTable, nameOf: (kind: 'Read' | 'Write') => string) {
  const indexes = Object.entries(tableSchema.indexes).map(
    ([place, { name }]) => ({ place, dimensions: { GlobalSecondaryIndexName: name } }) as const,
  );
  return [{ place: 'table', dimensions: {} }, ...indexes].flatMap(({ place, dimensions }) =>
    (['Read', 'Write'] as const).map((kind) => {
      const metric = new Metric({
        namespace: 'AWS/DynamoDB',
        metricName: nameOf(kind),
        dimensionsMap: { TableName: tableName, ...dimensions },
        statistic: 'sum',
      });
      return { place, kind, metric };
    }),
  );
}
