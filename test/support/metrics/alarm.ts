import * as z from 'zod';
import type { Datum } from './embedded-format.ts';
import { evaluate, type Series } from './metric-math.ts';

/** The value of a dimension that names a resource of another stack. */
export const anyResource = 'resource';

const dimensionValue = z.union([z.string(), z.looseObject({}).transform(() => anyResource)]);

const metricStat = z.object({
  Metric: z.object({
    Namespace: z.string(),
    MetricName: z.string(),
    Dimensions: z.array(z.object({ Name: z.string(), Value: dimensionValue })).default([]),
  }),
  Period: z.int(),
  Stat: z.string(),
});

/** Properties of an `AWS::CloudWatch::Alarm` over an expression, as a template has them. */
export const alarmProperties = z.object({
  Metrics: z
    .array(
      z.object({
        Id: z.string(),
        Expression: z.string().optional(),
        MetricStat: metricStat.optional(),
        Period: z.int().optional(),
        ReturnData: z.boolean().default(true),
      }),
    )
    .max(20),
  EvaluationPeriods: z.int(),
  DatapointsToAlarm: z.int().optional(),
  Threshold: z.number(),
  ComparisonOperator: z.string(),
  TreatMissingData: z.string().default('missing'),
});

export type AlarmProperties = z.infer<typeof alarmProperties>;
type MetricStat = z.infer<typeof metricStat>;

export type AlarmState = {
  /** Start of the newest period that was evaluated, epoch milliseconds. */
  readonly at: number;
  /** Value of the expression in that period. */
  readonly value: number | undefined;
  readonly state: 'OK' | 'ALARM';
};

/**
 * The states of an alarm at the end of each of its periods between two times, from the values in log lines.
 *
 * @param from epoch milliseconds
 * @param to epoch milliseconds, exclusive
 */
export function alarmStates(
  alarm: AlarmProperties,
  data: readonly Datum[],
  from: number,
  to: number,
): readonly AlarmState[] {
  const period = periodOf(alarm);
  const periods = periodsBetween(from, to, period);
  const result = resultOf(alarm, data, periods);
  return periods.map((at, index) => ({
    at,
    value: result.get(at),
    state: stateAt(alarm, result, periods.slice(Math.max(0, index + 1 - alarm.EvaluationPeriods), index + 1)),
  }));
}

/** Milliseconds; CloudWatch requires one period for all metrics of an expression. */
function periodOf({ Metrics }: AlarmProperties): number {
  const [period, ...others] = new Set(Metrics.flatMap(({ MetricStat }) => MetricStat?.Period ?? []));
  if (period === undefined || others.length > 0) throw new Error('The metrics of the alarm need one period');
  return period * 1000;
}

function periodsBetween(from: number, to: number, period: number): readonly number[] {
  const first = Math.floor(from / period);
  const count = Math.ceil(to / period) - first;
  return Array.from({ length: count }, (_, index) => (first + index) * period);
}

function resultOf({ Metrics }: AlarmProperties, data: readonly Datum[], periods: readonly number[]): Series {
  const series: Record<string, Series> = {};
  const metric = (id: string): Series => {
    const known = series[id];
    if (known !== undefined) return known;
    const query = Metrics.find(({ Id }) => Id === id);
    if (query?.MetricStat !== undefined) {
      series[id] = statistic(query.MetricStat, data);
      return series[id];
    }
    const expression = query?.Expression;
    if (expression === undefined) throw new Error(`The alarm has no metric "${id}"`);
    for (const { Id } of Metrics) if (new RegExp(`\\b${Id}\\b`).test(expression)) metric(Id);
    series[id] = evaluate(expression, { series, periods });
    return series[id];
  };
  const [returned, ...others] = Metrics.filter(({ ReturnData }) => ReturnData);
  if (returned === undefined || others.length > 0) throw new Error('An alarm watches exactly one result');
  return metric(returned.Id);
}

/** Values with exactly these dimensions: CloudWatch does not aggregate over dimensions. */
function statistic({ Metric, Period, Stat }: MetricStat, data: readonly Datum[]): Series {
  const wanted = JSON.stringify(Metric.Dimensions.map(({ Name, Value }) => [Name, Value]).toSorted());
  const found = data.filter(
    ({ namespace, name, dimensions }) =>
      namespace === Metric.Namespace &&
      name === Metric.MetricName &&
      JSON.stringify(Object.entries(dimensions).toSorted()) === wanted,
  );
  const length = Period * 1000;
  const byPeriod = Map.groupBy(found, ({ at }) => Math.floor(at / length) * length);
  return new Map(
    [...byPeriod].map(([period, values]) => [
      period,
      aggregate(
        Stat,
        values.map(({ value }) => value),
      ),
    ]),
  );
}

function aggregate(stat: string, values: readonly number[]): number {
  const sum = values.reduce((total, value) => total + value, 0);
  switch (stat) {
    case 'Average':
      return sum / values.length;
    case 'Sum':
      return sum;
    case 'SampleCount':
      return values.length;
    case 'Maximum':
      return Math.max(...values);
    case 'Minimum':
      return Math.min(...values);
    default:
      throw new Error(`The evaluator does not know the statistic ${stat}`);
  }
}

function stateAt(alarm: AlarmProperties, result: Series, evaluated: readonly number[]): AlarmState['state'] {
  const breaching = evaluated.filter((period) => isBreaching(alarm, result.get(period)));
  return breaching.length >= (alarm.DatapointsToAlarm ?? alarm.EvaluationPeriods) ? 'ALARM' : 'OK';
}

function isBreaching(
  { Threshold, ComparisonOperator, TreatMissingData }: AlarmProperties,
  value: number | undefined,
): boolean {
  if (value === undefined) return TreatMissingData === 'breaching';
  switch (ComparisonOperator) {
    case 'GreaterThanOrEqualToThreshold':
      return value >= Threshold;
    case 'GreaterThanThreshold':
      return value > Threshold;
    case 'LessThanThreshold':
      return value < Threshold;
    case 'LessThanOrEqualToThreshold':
      return value <= Threshold;
    default:
      throw new Error(`The evaluator does not know ${ComparisonOperator}`);
  }
}
