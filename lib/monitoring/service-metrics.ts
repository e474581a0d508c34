import { Metric, type MetricOptions } from 'aws-cdk-lib/aws-cloudwatch';
import {
  type auditMetrics,
  type DimensionsOf,
  type MetricKey,
  metricNamespace,
  metricService,
  metrics,
  stageDimension,
} from '#shared/contract/metrics.ts';

type AuditMetric = (typeof auditMetrics)[keyof typeof auditMetrics];

/** Values of the dimensions of a metric, but for the stage. */
type Values<Key extends MetricKey> = Omit<DimensionsOf<Key>, typeof stageDimension>;

/** The metrics that the functions of one stage publish. */
export class ServiceMetrics {
  readonly stage: string;

  constructor(stage: string) {
    this.stage = stage;
  }

  /** A metric of the log lines of attempts, intake batches and API requests. */
  outcome<Key extends MetricKey>(key: Key, values: Values<Key>, options: MetricOptions): Metric {
    return this.metric(metrics[key].name, values, options);
  }

  /** A metric of the audit. */
  audit(name: AuditMetric, options: MetricOptions): Metric {
    return this.metric(name, { service: metricService }, options);
  }

  private metric(
    metricName: string,
    values: Readonly<Record<string, string>>,
    options: MetricOptions,
  ): Metric {
    const dimensionsMap = { ...values, [stageDimension]: this.stage };
    return new Metric({ ...options, namespace: metricNamespace, metricName, dimensionsMap });
  }
}
