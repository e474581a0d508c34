import { Duration } from 'aws-cdk-lib';
import { type IMetric, MathExpression, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { tableSchema } from '#shared/contract/table-schema.ts';
import type { AlarmProps, Alarms } from '../actionable-alarm.ts';
import type { WatchedStage } from '../watched-stage.ts';

/** CloudWatch accepts no more in one alarm. */
const metricsPerAlarm = 10;

const lasting = { threshold: 1, periods: 3, severity: 'ticket' } as const;

/** Alarms for errors and throttles of the functions that consume queues. */
export function consumerAlarms({ consumers }: WatchedStage): Alarms {
  const total = (metricOf: (consumer: IFunction) => IMetric) =>
    sumOf(Object.entries(consumers).map(([name, { lambda }]) => [name, metricOf(lambda)]));
  return {
    FunctionErrors: {
      ...lasting,
      metric: total((consumer) => consumer.metricErrors()),
      summary: 'A function that consumes a queue has failed repeatedly for fifteen minutes',
      runbook: 'a-function-fails-again-and-again',
    },
    FunctionThrottles: {
      ...lasting,
      metric: total((consumer) => consumer.metricThrottles()),
      summary: 'Functions that consume the queues have been throttled for fifteen minutes',
      runbook: 'functions-are-throttled',
    },
  };
}

/**
 * An alarm for throttled reads and writes of the table and its indexes. The SDK retries a throttled call, so an
 * occasional one does no harm: only throttles in each of three periods raise the alarm.
 */
export function tableAlarms({ data }: WatchedStage): Alarms {
  const throttles = tableMetrics(data.table, (kind) => `${kind}ThrottleEvents`);
  return {
    TableThrottles: {
      ...lasting,
      metric: sumOf(throttles.map(({ place, kind, metric }) => [`${place}${kind}s`, metric])),
      summary: 'DynamoDB has throttled reads or writes of the table for fifteen minutes',
      runbook: 'dynamodb-throttles-the-table',
    },
  };
}

/** A metric of the reads and of the writes of the table and of each index. */
export function tableMetrics({ tableName }: TableV2, nameOf: (kind: 'Read' | 'Write') => string) {
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

/**
 * @param named each metric with its name in the expression
 * @throws Error when they are more than CloudWatch accepts in one alarm
 */
function sumOf(named: readonly (readonly [string, IMetric])[]): AlarmProps['metric'] {
  if (named.length > metricsPerAlarm) {
    throw new Error(`Cannot watch ${named.length} metrics in one alarm, expected at most ${metricsPerAlarm}`);
  }
  return new MathExpression({
    // A metric without data has no value, and without FILL neither would the sum.
    expression: named.map(([name]) => `FILL(${name}, 0)`).join(' + '),
    usingMetrics: Object.fromEntries(named),
    period: Duration.minutes(5),
  });
}
