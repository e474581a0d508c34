import { Metric, type MetricOptions } from 'aws-cdk-lib/aws-cloudwatch';
import {
  type DimensionsOf,
  type MetricKey,
  metricNamespace,
  metrics,
  stageDimension,
} from '#shared/contract/metrics.ts';

/** Values of the dimensions of a metric, but for the stage. */
type Values<Key extends MetricKey> = Omit<DimensionsOf<Key>, typeof stageDimension>;

/** The metrics that the functions of one stage publish. */
export class ServiceMetrics {
  readonly stage: string;

  constructor(stage: string) {
    this.stage = stage;
  }

  outcome<Key extends MetricKey>(key: Key, values: Values<Key>, options: MetricOptions): Metric {
    const dimensionsMap = { ...values, [stageDimension]: this.stage };
    const { name: metricName } = metrics[key];
    return new Metric({ ...options, namespace: metricNamespace, metricName, dimensionsMap });
  }
}
