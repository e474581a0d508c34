import type { Duration } from 'aws-cdk-lib';
import { type IMetric, MathExpression } from 'aws-cdk-lib/aws-cloudwatch';

/** CloudWatch refuses an alarm over more metrics. */
const metricsPerAlarm = 10;

/**
 * The sum of metrics that an alarm can watch, keyed by the name of each in the expression.
 *
 * @throws Error when CloudWatch would refuse the number of metrics
 */
export function sumOfMetrics(metrics: Readonly<Record<string, IMetric>>, period: Duration): MathExpression {
  const names = Object.keys(metrics);
  if (names.length > metricsPerAlarm) {
    throw new Error(`Cannot watch ${names.length} metrics in one alarm, expected at most ${metricsPerAlarm}`);
  }
  return new MathExpression({
    // A metric without data has no value, and without FILL neither would the sum.
    expression: names.map((name) => `FILL(${name}, 0)`).join(' + '),
    usingMetrics: { ...metrics },
    period,
  });
}
