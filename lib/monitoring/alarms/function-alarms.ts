import { Duration } from 'aws-cdk-lib';
import type { IMetric } from 'aws-cdk-lib/aws-cloudwatch';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { Alarms } from '../actionable-alarm.ts';
import { sumOfMetrics } from './sum-of-metrics.ts';

/** The functions that take messages from the queues, at most ten, keyed by their name in an expression. */
export type Consumers = Readonly<Record<string, { readonly lambda: IFunction }>>;

/** Alarms for errors and throttles of the functions that consume queues. */
export function consumerAlarms(consumers: Consumers): Alarms {
  const total = (metricOf: (consumer: IFunction) => IMetric) => {
    const metrics = Object.entries(consumers).map(([name, { lambda }]) => [name, metricOf(lambda)] as const);
    return sumOfMetrics(Object.fromEntries(metrics), Duration.minutes(5));
  };
  const common = { threshold: 1, periods: 3, severity: 'ticket' } as const;
  return {
    FunctionErrors: {
      ...common,
      metric: total((consumer) => consumer.metricErrors()),
      summary: 'A function that consumes a queue has failed repeatedly for fifteen minutes',
      runbook: 'a-function-fails-again-and-again',
    },
    FunctionThrottles: {
      ...common,
      metric: total((consumer) => consumer.metricThrottles()),
      summary: 'Functions that consume the queues have been throttled for fifteen minutes',
      runbook: 'functions-are-throttled',
    },
  };
}
