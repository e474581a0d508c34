import { compileFunction } from 'node:vm';
import * as z from 'zod';
import type { Datum } from './embedded-format.ts';

/** The value of a dimension that names a resource of another stack. */
export const anyResource = 'resource';

const metricStat = z.object({
  Metric: z.object({
    Namespace: z.string(),
    MetricName: z.string(),
    Dimensions: z.array(
      z.object({
        Name: z.string(),
        Value: z.union([z.string(), z.looseObject({}).transform(() => anyResource)]),
      }),
    ),
  }),
  Period: z.int(),
  Stat: z.enum(['Average', 'Maximum']),
});

/** An `AWS::CloudWatch::Alarm` over an expression, as a template has it. Other kinds of alarms are refused. */
export const alarmProperties = z.object({
  Metrics: z
    .array(
      z.object({
        Id: z.string(),
        Expression: z.string().optional(),
        MetricStat: metricStat.optional(),
        ReturnData: z.boolean().default(true),
      }),
    )
    .max(20),
  EvaluationPeriods: z.int(),
  DatapointsToAlarm: z.int().optional(),
  Threshold: z.number(),
  ComparisonOperator: z.literal('GreaterThanOrEqualToThreshold'),
  TreatMissingData: z.literal('notBreaching'),
});

export type AlarmProperties = z.infer<typeof alarmProperties>;
type State = 'OK' | 'ALARM';

/**
 * The state of an alarm at the end of each of its periods between two times (epoch milliseconds).
 *
 * @param late milliseconds until CloudWatch has a value
 */
export function alarmStates(
  alarm: AlarmProperties,
  data: readonly Datum[],
  { from = 0, until, late = 0 }: { readonly from?: number; readonly until: number; readonly late?: number },
): readonly State[] {
  const { Metrics, EvaluationPeriods, DatapointsToAlarm = EvaluationPeriods, Threshold } = alarm;
  const [period = 0, ...others] = new Set(Metrics.flatMap(({ MetricStat }) => MetricStat?.Period ?? []));
  const [result, ...results] = Metrics.filter(({ ReturnData }) => ReturnData);
  if (others.length > 0 || results.length > 0) throw new Error('An alarm has one result and one period');
  const valueFrom = (at: number, now: number) => {
    const within = data.filter((datum) => datum.at >= at && datum.at < Math.min(at + period * 1000, now - late));
    const metrics = Map.groupBy(within, (datum) => keyOf(datum.namespace, datum.name, datum.dimensions));
    return compute(alarm, result?.Id ?? '', metrics) ?? Number.NaN;
  };
  const starts = Array.from(
    { length: Math.ceil((until - from) / period / 1000) },
    (_, index) => from + index * period * 1000,
  );
  return starts.map((at, index) => {
    const evaluated = starts.slice(Math.max(0, index + 1 - EvaluationPeriods), index + 1);
    const breaching = evaluated.filter((each) => valueFrom(each, at + period * 1000) >= Threshold);
    return breaching.length >= DatapointsToAlarm ? 'ALARM' : 'OK';
  });
}

/** CloudWatch does not aggregate over dimensions: a metric has the values with exactly its own. */
const keyOf = (namespace: string, name: string, dimensions: Datum['dimensions']): string =>
  JSON.stringify([namespace, name, Object.entries(dimensions).toSorted()]);

type Metrics = ReadonlyMap<string, readonly Datum[]>;

/** The value of a metric of the alarm in one period; `undefined` without data. */
function compute(alarm: AlarmProperties, id: string, metrics: Metrics): number | undefined {
  const { MetricStat, Expression } = alarm.Metrics.find(({ Id }) => Id === id) ?? {};
  if (MetricStat !== undefined) return statistic(MetricStat, metrics);
  if (Expression === undefined) throw new Error(`The alarm has no metric "${id}"`);
  const ids = alarm.Metrics.map(({ Id }) => Id).filter((other) => Expression.match(`\\b${other}\\b`));
  return evaluate(Expression, new Map(ids.map((other) => [other, compute(alarm, other, metrics)])));
}

/**
 * What the alarms use of CloudWatch's metric math means the same in JavaScript, and anything else is an error here,
 * such as the name of a metric without data, unless the expression fills it.
 */
function evaluate(expression: string, values: ReadonlyMap<string, number | undefined>): number {
  const program = expression
    .replace(/FILL\((\w+), (-?\d+)\)/g, (_, id, filler) => `(${values.get(id) ?? filler})`)
    .replaceAll(' AND ', ' && ');
  const known = new Map([...values].filter(([, value]) => value !== undefined));
  const choose = (condition: unknown, one: number, other: number) => (condition ? one : other);
  const formula = compileFunction(`return ${program}`, ['IF', ...known.keys()]);
  return Number(formula(choose, ...known.values()));
}

function statistic({ Metric, Stat }: z.infer<typeof metricStat>, metrics: Metrics): number | undefined {
  const dimensions = Object.fromEntries(Metric.Dimensions.map(({ Name, Value }) => [Name, Value]));
  const values = metrics.get(keyOf(Metric.Namespace, Metric.MetricName, dimensions));
  if (values === undefined) return undefined;
  const numbers = values.map(({ value }) => value);
  if (Stat === 'Maximum') return Math.max(...numbers);
  return numbers.reduce((sum, value) => sum + value, 0) / numbers.length;
}
