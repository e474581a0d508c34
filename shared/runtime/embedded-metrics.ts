import {
  type DimensionName,
  type MetricDefinition,
  type MetricKey,
  metricNamespace,
  metrics,
} from '#shared/contract/metrics.ts';

/**
 * What a log line measures: one value for each metric, or up to 100, and the dimensions that these metrics have beside
 * the stage.
 */
export type Measurement = {
  readonly values: { readonly [key in MetricKey]?: number | readonly number[] };
  readonly dimensions: { readonly [name in DimensionName]?: string };
};

/** Tells CloudWatch which members of a line are metrics with these dimensions. */
type Directive = {
  readonly Namespace: string;
  readonly Dimensions: readonly (readonly DimensionName[])[];
  /** Counts have no unit: the bytes of `"Unit":"Count"` are paid for in each line, and nobody asks for them. */
  readonly Metrics: readonly { readonly Name: string; readonly Unit?: string }[];
};

/** The directives of each combination of metrics; about a dozen occur. */
const known = new Map<string, readonly Directive[]>();

/**
 * Members that make CloudWatch extract metrics from a log line (embedded metric format). Metrics with the same
 * dimensions share a directive, because each byte of a line is paid for.
 *
 * @param at epoch milliseconds
 */
export function embedMetrics(stage: string, { values, dimensions }: Measurement, at: number) {
  const keys = Object.keys(values).filter(isMetricKey);
  const members = Object.fromEntries(keys.map((key) => [metrics[key].name, values[key]]));
  return {
    stage,
    ...dimensions,
    ...members,
    _aws: { Timestamp: at, CloudWatchMetrics: directivesOf(keys) },
  };
}

function directivesOf(keys: readonly MetricKey[]): readonly Directive[] {
  const combination = keys.join();
  const directives = known.get(combination) ?? makeDirectives(keys);
  known.set(combination, directives);
  return directives;
}

function makeDirectives(keys: readonly MetricKey[]): readonly Directive[] {
  const byDimensions = Map.groupBy(keys, (key) => metrics[key].dimensions.join());
  return [...byDimensions.values()].flatMap(([first, ...others]) =>
    first === undefined
      ? []
      : {
          Namespace: metricNamespace,
          Dimensions: [metrics[first].dimensions],
          Metrics: [first, ...others].map((key) => withUnit(metrics[key])),
        },
  );
}

function withUnit({ name: Name, unit: Unit }: MetricDefinition): Directive['Metrics'][number] {
  return Unit === 'Count' ? { Name } : { Name, Unit };
}

function isMetricKey(text: string): text is MetricKey {
  return Object.hasOwn(metrics, text);
}
