import { Duration } from 'aws-cdk-lib';
import { type IMetric, MathExpression, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { auditMetrics, metricNamespace, metricService, stageDimension } from '#shared/contract/metrics.ts';
import { runbookAnchors } from '../runbook.ts';
import { ActionableAlarm, type ActionableAlarmProps } from './actionable-alarm.ts';
import { AlarmTopic } from './alarm-topic.ts';
import type { QueueWithDeadLetters } from './queue-with-dead-letters.ts';

type Recurring = { readonly run: IFunction; readonly every: Duration };

/** The functions that take messages from the queues. */
type Consumers = Readonly<Record<'intake' | 'deliver' | 'deliverSlow', IFunction>>;

export type DeliveryAlarmsProps = {
  readonly stage: string;
  /** Address that receives the alarms. `undefined`: alarms show in CloudWatch only. */
  readonly email: string | undefined;
  readonly intake: QueueWithDeadLetters;
  readonly delivery: QueueWithDeadLetters;
  readonly slowDelivery: QueueWithDeadLetters;
  readonly sweep: Recurring;
  readonly audit: Recurring;
  readonly consumers: Consumers;
  readonly api: { readonly failedShare: (period: Duration) => IMetric };
};

/** The text of one alarm. */
type AlarmText = Pick<ActionableAlarmProps, 'summary' | 'runbook'>;

/**
 * Alarms for stuck events, for a sweep or audit that does not run, and for API failures. Errors and throttles of the
 * API functions surface as server errors of the API, so they need no alarms of their own.
 */
export class DeliveryAlarms extends Construct {
  /** Where the alarms go; `undefined` without an address. */
  readonly topic: ITopic | undefined;

  constructor(scope: Construct, id: string, props: DeliveryAlarmsProps) {
    super(scope, id);
    this.topic = props.email === undefined ? undefined : new AlarmTopic(this, 'Topic', props.email);
    this.watchQueues(props);
    this.watchConsumers(props);
    this.watchApi(props);
    this.watchSweep(props);
    this.watchAudit(props);
  }

  private watchQueues({ intake, delivery, slowDelivery }: DeliveryAlarmsProps): void {
    this.onDeadLetters('IntakeDeadLetters', intake.deadLetters, {
      summary: 'Messages from the Run engine that could not be processed are in a dead-letter queue',
      runbook: runbookAnchors.intakeDeadLetters,
    });
    this.onDeadLetters('DeliveryDeadLetters', delivery.deadLetters, {
      summary: 'Deliveries that could not be attempted are in a dead-letter queue',
      runbook: runbookAnchors.deliveryDeadLetters,
    });
    this.onBacklog('IntakeBacklog', intake.queue, {
      summary: 'The oldest message from the Run engine has waited for four minutes',
      runbook: runbookAnchors.intakeBacklog,
    });
    this.onBacklog('DeliveryBacklog', delivery.queue, {
      summary: 'The oldest due delivery has waited for four minutes',
      runbook: runbookAnchors.deliveryBacklog,
    });
    this.watchSlowLane(slowDelivery.queue);
  }

  /**
   * Slow endpoints may fill their lane without any fault of the service, so nobody is paged. Five minutes is the longest
   * time that a message which always fails reliably shows: after six, this queue's visibility timeout removes it from
   * the metric, as `onBacklog` explains.
   */
  private watchSlowLane(queue: Queue): void {
    this.add('SlowDeliveryBacklog', {
      metric: queue.metricApproximateAgeOfOldestMessage({ period: Duration.minutes(1) }),
      threshold: Duration.minutes(5).toSeconds(),
      severity: 'ticket',
      summary: 'The oldest due delivery to a slow endpoint has waited for five minutes',
      runbook: runbookAnchors.slowDeliveryBacklog,
    });
  }

  private watchConsumers({ consumers }: DeliveryAlarmsProps): void {
    this.onFunctionMetric('FunctionErrors', consumers, 'Errors', {
      summary: 'A function that consumes a queue has failed repeatedly for fifteen minutes',
      runbook: runbookAnchors.functionErrors,
    });
    this.onFunctionMetric('FunctionThrottles', consumers, 'Throttles', {
      summary: 'Functions that consume the queues have been throttled for fifteen minutes',
      runbook: runbookAnchors.functionThrottles,
    });
  }

  /** Three failing minutes in an hour: a bad deployment pages quickly, one failed request to a busy API does not. */
  private watchApi({ api }: DeliveryAlarmsProps): void {
    this.add('ApiErrors', {
      metric: api.failedShare(Duration.minutes(1)),
      threshold: 0.01,
      periods: 60,
      breaching: 3,
      severity: 'page',
      summary: 'The API has answered with server errors in three minutes of the last hour',
      runbook: runbookAnchors.apiErrors,
    });
  }

  private watchSweep({ sweep }: DeliveryAlarmsProps): void {
    this.onSilence('SweepSilent', sweep, {
      summary: 'No sweep has succeeded for fifteen minutes, so lost retries stay unnoticed',
      runbook: runbookAnchors.sweepSilent,
    });
  }

  private watchAudit({ audit, stage }: DeliveryAlarmsProps): void {
    const metric = (metricName: string) =>
      new Metric({
        namespace: metricNamespace,
        metricName,
        dimensionsMap: { service: metricService, [stageDimension]: stage },
        statistic: 'max',
        period: audit.every,
      });
    this.onSilence('AuditSilent', audit, {
      summary: 'No audit has succeeded for three hours, so stranded deliveries stay unnoticed',
      runbook: runbookAnchors.auditSilent,
    });
    this.add('StrandedDeliveries', {
      metric: metric(auditMetrics.stranded),
      threshold: 1,
      severity: 'ticket',
      summary: 'The audit found pending deliveries that nothing would have continued',
      runbook: runbookAnchors.strandedDeliveries,
    });
    this.add('AuditIncomplete', {
      metric: metric(auditMetrics.incomplete),
      threshold: 1,
      periods: 3,
      severity: 'ticket',
      summary: 'The audit ran out of time three times in a row',
      runbook: runbookAnchors.auditIncomplete,
    });
  }

  private onDeadLetters(id: string, queue: Queue, text: AlarmText): void {
    const metric = queue.metricApproximateNumberOfMessagesVisible({
      period: Duration.minutes(1),
      statistic: 'max',
    });
    this.add(id, { ...text, metric, threshold: 1, severity: 'page' });
  }

  /**
   * SQS excludes messages that were received three times from this metric, which takes six minutes with a visibility
   * timeout of three. So a single minute above four must trigger the alarm: otherwise a few messages that all fail
   * would go unnoticed.
   */
  private onBacklog(id: string, queue: Queue, text: AlarmText): void {
    const metric = queue.metricApproximateAgeOfOldestMessage({ period: Duration.minutes(1) });
    this.add(id, { ...text, metric, threshold: Duration.minutes(4).toSeconds(), severity: 'page' });
  }

  private onFunctionMetric(
    id: string,
    { intake, deliver, deliverSlow }: Consumers,
    kind: 'Errors' | 'Throttles',
    text: AlarmText,
  ): void {
    const total = new MathExpression({
      // A function that was not called has no data, and without FILL neither would the sum.
      expression: 'FILL(intake, 0) + FILL(deliver, 0) + FILL(deliverSlow, 0)',
      usingMetrics: {
        intake: intake[`metric${kind}`](),
        deliver: deliver[`metric${kind}`](),
        deliverSlow: deliverSlow[`metric${kind}`](),
      },
      period: Duration.minutes(5),
    });
    this.add(id, { ...text, metric: total, threshold: 1, periods: 3, severity: 'ticket' });
  }

  /** Triggers when the function fails three times in a row or is not invoked. */
  private onSilence(id: string, { run, every }: Recurring, text: AlarmText): void {
    const successes = new MathExpression({
      expression: 'invocations - errors',
      usingMetrics: { invocations: run.metricInvocations(), errors: run.metricErrors() },
      period: every,
    });
    this.add(id, { ...text, metric: successes, threshold: { minimum: 1 }, periods: 3, severity: 'ticket' });
  }

  private add(id: string, props: Omit<ActionableAlarmProps, 'topic'>): void {
    new ActionableAlarm(this, id, { ...props, topic: this.topic });
  }
}
