import * as z from 'zod';
import type { NamedMetric } from './dashboard-body.ts';
import { ShortNames } from './short-names.ts';
import type { SynthesizedStage } from './synthesized-stage.ts';

const metricSchema = z.object({
  Namespace: z.string(),
  MetricName: z.string(),
  Dimensions: z.array(z.object({ Name: z.string(), Value: z.unknown() })),
});
const querySchema = z.object({
  Id: z.string(),
  Expression: z.string().optional(),
  Period: z.number().optional(),
  MetricStat: z.object({ Metric: metricSchema, Period: z.number(), Stat: z.string() }).optional(),
});
const alarmSchema = z.looseObject({
  AlarmDescription: z.string(),
  AlarmActions: z.array(z.unknown()).default([]),
  OKActions: z.array(z.unknown()).default([]),
  ComparisonOperator: z.enum(['GreaterThanOrEqualToThreshold', 'LessThanThreshold']),
  Threshold: z.number(),
  EvaluationPeriods: z.number(),
  DatapointsToAlarm: z.number().optional(),
  TreatMissingData: z.enum(['breaching', 'notBreaching']),
  Metrics: z.array(querySchema).optional(),
  Period: z.number().optional(),
  Statistic: z.string().optional(),
});

/** An alarm of a template, with short names. */
export type Alarm = {
  readonly severity: string;
  /** Its heading in the runbook. */
  readonly anchor: string;
  readonly metrics: readonly NamedMetric[];
  /** What it watches: `Sum Errors of queue/intake`, or an expression with such texts. */
  readonly watches: string;
  /** When it goes off: `>= 1 in 2 of 3 periods of 300 s`. */
  readonly goesOff: string;
  /** What gets a message when it goes off, and when it ends. */
  readonly notifies: { readonly onAlarm: readonly unknown[]; readonly onOk: readonly unknown[] };
};

export function alarmsOf(stage: SynthesizedStage): readonly Alarm[] {
  const names = new ShortNames(stage);
  return Object.values(stage.delivery.findResources('AWS::CloudWatch::Alarm')).map(({ Properties }) =>
    describeAlarm(Properties, names),
  );
}

function describeAlarm(properties: unknown, names: ShortNames): Alarm {
  const alarm = alarmSchema.parse(properties);
  const [, severity = '', anchor = ''] = /^\[(\w+)\] \S.*docs\/runbook\.md#(.*)$/.exec(alarm.AlarmDescription) ?? [];
  const queries = alarm.Metrics ?? [single(alarm)];
  const [first] = queries;
  const metrics = queries.flatMap(({ MetricStat }) => MetricStat ?? []);
  const period = first?.MetricStat?.Period ?? Math.max(...metrics.map(({ Period }) => Period));
  const comparison = alarm.ComparisonOperator === 'LessThanThreshold' ? '<' : '>=';
  const { EvaluationPeriods: periods, DatapointsToAlarm: points = periods } = alarm;
  const silence = alarm.TreatMissingData === 'breaching' ? ', or without data' : '';
  return {
    severity,
    anchor,
    metrics: metrics.map(({ Metric }) => namedMetric(Metric, names)),
    watches: first === undefined ? '' : textOf(first, queries, names),
    goesOff: `${comparison} ${alarm.Threshold} in ${points} of ${periods} periods of ${period} s${silence}`,
    notifies: { onAlarm: alarm.AlarmActions, onOk: alarm.OKActions },
  };
}

type Query = z.infer<typeof querySchema>;

/** An alarm over one metric has the members of a query itself. */
function single(alarm: z.infer<typeof alarmSchema>): Query {
  const { Period = 0, Statistic: Stat = '' } = alarm;
  return { Id: 'only', MetricStat: { Metric: metricSchema.parse(alarm), Period, Stat } };
}

function namedMetric({ Namespace, MetricName, Dimensions }: z.infer<typeof metricSchema>, names: ShortNames) {
  const dimensions = Dimensions.map(({ Name, Value }) => [Name, names.of(Value)] as const);
  return { namespace: Namespace, name: MetricName, dimensions: Object.fromEntries(dimensions) };
}

/** A query with texts in place of the ids of others. */
function textOf(query: Query, all: readonly Query[], names: ShortNames): string {
  if (query.MetricStat !== undefined) {
    const { name, dimensions } = namedMetric(query.MetricStat.Metric, names);
    return `${query.MetricStat.Stat} ${name} of ${Object.values(dimensions).join(' ')}`;
  }
  return (query.Expression ?? '').replaceAll(/[a-z]\w*/g, (id) => {
    const other = all.find(({ Id }) => Id === id);
    return other === undefined ? id : textOf(other, all, names);
  });
}
