import { Duration } from 'aws-cdk-lib';
import { type IMetric, MathExpression } from 'aws-cdk-lib/aws-cloudwatch';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { runbookAnchors } from '../runbook.ts';
import type { AddAlarm, AlarmText } from './add-alarm.ts';
import { sumOfMetrics } from './sum-of-metrics.ts';

type WatchedFunction = { readonly lambda: IFunction };

/** The functions that take messages from the queues, at most ten, keyed by their name in an expression. */
export type Consumers = Readonly<Record<string, WatchedFunction>>;

/** A function and the time between two runs of it. */
export type Recurring = { readonly run: WatchedFunction; readonly every: Duration };

/** Alarms for errors and throttles of the functions that consume queues. */
export function watchConsumers(add: AddAlarm, consumers: Consumers): void {
  onConsumerMetric(add, 'FunctionErrors', consumers, (consumer) => consumer.metricErrors(), {
    summary: 'A function that consumes a queue has failed repeatedly for fifteen minutes',
    runbook: runbookAnchors.functionErrors,
  });
  onConsumerMetric(add, 'FunctionThrottles', consumers, (consumer) => consumer.metricThrottles(), {
    summary: 'Functions that consume the queues have been throttled for fifteen minutes',
    runbook: runbookAnchors.functionThrottles,
  });
}

function onConsumerMetric(
  add: AddAlarm,
  id: string,
  consumers: Consumers,
  metricOf: (consumer: IFunction) => IMetric,
  text: AlarmText,
): void {
  const metrics = Object.entries(consumers).map(([name, { lambda }]) => [name, metricOf(lambda)] as const);
  const total = sumOfMetrics(Object.fromEntries(metrics), Duration.minutes(5));
  add(id, { ...text, metric: total, threshold: 1, periods: 3, severity: 'ticket' });
}

/** Triggers when the function fails three times in a row or is not invoked. */
export function onSilence(add: AddAlarm, id: string, { run, every }: Recurring, text: AlarmText): void {
  const successes = new MathExpression({
    expression: 'invocations - errors',
    usingMetrics: { invocations: run.lambda.metricInvocations(), errors: run.lambda.metricErrors() },
    period: every,
  });
  add(id, { ...text, metric: successes, threshold: { minimum: 1 }, periods: 3, severity: 'ticket' });
}
