import { Duration, Stack, Validations } from 'aws-cdk-lib';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import type { Topic } from 'aws-cdk-lib/aws-sns';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import {
  auditMetrics,
  metricNamespace,
  metricService,
  stageDimension,
} from '../../shared/contract/metrics.ts';
import { ActionableAlarm } from '../constructs/actionable-alarm.ts';
import { AlarmTopic } from '../constructs/alarm-topic.ts';
import { RecurringRun, type RecurringRunProps } from '../constructs/recurring-run.ts';
import { ServiceFunction } from '../constructs/service-function.ts';
import { environmentOf } from '../function-settings.ts';
import { policyOf } from '../grants.ts';
import { type RunbookAnchor, runbookAnchors } from '../runbook.ts';
import type { StageProps } from '../stage-props.ts';
import type { ApiStack } from './api-stack.ts';
import type { DataStack } from './data-stack.ts';

export type DeliveryStackProps = StageProps & { readonly data: DataStack; readonly api: ApiStack };

/** Posts of one batch run side by side, so ten slow receivers cost one function's wait. */
const batchSize = 10;

/** Intake functions at work at once: enough for thousands of events a second, too few to starve the API. */
const intakeConcurrency = 100;

/** How long a lost or refused retry schedule can go unnoticed. */
const sweepInterval = Duration.minutes(5);

/** A delivery that nothing would wake is found this much after its last message can have gone. */
const auditInterval = Duration.hours(1);

/** What moves events: intake, delivery, the sweep for overdue deliveries, and the alarms over them. */
export class DeliveryStack extends Stack {
  private readonly props: DeliveryStackProps;

  constructor(scope: Construct, id: string, props: DeliveryStackProps) {
    super(scope, id, props);
    this.props = props;
    const { data, config } = props;
    this.addConsumer('queue/intake', data.intake.queue, intakeConcurrency);
    const deliver = this.addConsumer('queue/deliver', data.delivery.queue, config.deliveryConcurrency);
    this.acknowledgeScheduleNames(deliver);
    const topic =
      config.alarmEmail === undefined ? undefined : new AlarmTopic(this, 'Alarms', config.alarmEmail);
    this.addAlarms(this.addSweep(), topic);
    this.addAuditAlarms(this.addAudit(), topic);
  }

  private addConsumer(folder: string, queue: Queue, maxConcurrency: number): ServiceFunction {
    const consumer = this.addFunction(folder);
    consumer.lambda.addEventSource(
      new SqsEventSource(queue, { batchSize, maxConcurrency, reportBatchItemFailures: true }),
    );
    Validations.of(consumer.lambda).acknowledge({
      id: 'Serverless-LambdaEventSourceMappingDestination',
      reason:
        'Only streams have failure destinations; what fails here goes back to the queue, then to its dead letters',
    });
    return consumer;
  }

  private acknowledgeScheduleNames(deliver: ServiceFunction): void {
    const schedules = `schedule/${this.props.data.scheduleGroup.scheduleGroupName}/*`;
    Validations.of(deliver).acknowledge({
      id: `AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:scheduler:<AWS::Region>:<AWS::AccountId>:${schedules}]`,
      reason:
        'Schedules are named after deliveries and attempts when they are made; the group holds nothing but the ' +
        'retries of this stage, and the function may make schedules but neither change nor delete them',
    });
  }

  private addSweep(): ServiceFunction {
    return this.addRecurring('schedule/sweep', 'SweepSchedule', {
      description: 'Finds deliveries whose next attempt is overdue',
      every: sweepInterval,
    });
  }

  private addAudit(): ServiceFunction {
    return this.addRecurring('schedule/audit', 'AuditSchedule', {
      description: 'Looks for deliveries that nothing would wake',
      every: auditInterval,
    });
  }

  private addRecurring(folder: string, id: string, rule: Omit<RecurringRunProps, 'run'>): ServiceFunction {
    const recurring = this.addFunction(folder);
    new RecurringRun(this, id, { ...rule, run: recurring.lambda });
    return recurring;
  }

  private addAuditAlarms(audit: ServiceFunction, topic: Topic | undefined): void {
    new ActionableAlarm(this, 'StrandedDeliveries', {
      metric: this.auditMetric(auditMetrics.stranded),
      threshold: 1,
      severity: 'ticket',
      summary: 'Deliveries were pending that nothing would have woken',
      runbook: runbookAnchors.strandedDeliveries,
      topic,
    });
    new ActionableAlarm(this, 'AuditFailed', {
      metric: audit.lambda.metricErrors({ period: auditInterval }),
      threshold: 1,
      periods: 3,
      severity: 'ticket',
      summary: 'The audit failed three times in a row, so stranded deliveries stay unnoticed',
      runbook: runbookAnchors.auditFailed,
      topic,
    });
    new ActionableAlarm(this, 'AuditIncomplete', {
      metric: this.auditMetric(auditMetrics.incomplete),
      threshold: 1,
      periods: 3,
      severity: 'ticket',
      summary: 'The audit had no time to look at everything three times in a row',
      runbook: runbookAnchors.auditIncomplete,
      topic,
    });
  }

  private auditMetric(metricName: string): Metric {
    return new Metric({
      namespace: metricNamespace,
      metricName,
      dimensionsMap: { service: metricService, [stageDimension]: this.props.config.stage },
      statistic: 'max',
      period: auditInterval,
    });
  }

  private addAlarms(sweep: ServiceFunction, topic: Topic | undefined): void {
    const { data } = this.props;
    const { intakeDeadLetters, deliveryDeadLetters, deliveryBacklog, sweepFailed } = runbookAnchors;
    this.alarmOnDeadLetters('IntakeDeadLetters', data.intake.deadLetters, intakeDeadLetters, topic);
    this.alarmOnDeadLetters('DeliveryDeadLetters', data.delivery.deadLetters, deliveryDeadLetters, topic);
    new ActionableAlarm(this, 'DeliveryBacklog', {
      metric: data.delivery.queue.metricApproximateAgeOfOldestMessage({ period: Duration.minutes(1) }),
      threshold: Duration.minutes(5).toSeconds(),
      periods: 5,
      severity: 'page',
      summary: 'The oldest due delivery has waited for five minutes',
      runbook: deliveryBacklog,
      topic,
    });
    new ActionableAlarm(this, 'SweepFailed', {
      metric: sweep.lambda.metricErrors({ period: sweepInterval }),
      threshold: 1,
      periods: 3,
      severity: 'ticket',
      summary: 'The sweep failed three times in a row, so lost retries stay unnoticed',
      runbook: sweepFailed,
      topic,
    });
  }

  private alarmOnDeadLetters(
    id: string,
    queue: Queue,
    runbook: RunbookAnchor,
    topic: Topic | undefined,
  ): void {
    new ActionableAlarm(this, id, {
      metric: queue.metricApproximateNumberOfMessagesVisible({
        period: Duration.minutes(1),
        statistic: 'max',
      }),
      threshold: 1,
      severity: 'page',
      summary: 'Messages that could not be processed wait in a dead-letter queue',
      runbook,
      topic,
    });
  }

  private addFunction(folder: string): ServiceFunction {
    const { config, bundles, data, api } = this.props;
    const { serviceName } = config;
    const values = {
      ...data.environmentValues(),
      stage: config.stage,
      serviceName,
      baseUrl: api.baseUrl,
      docsUrl: api.docsUrl,
    };
    return new ServiceFunction(this, {
      folder,
      bundles,
      config,
      environment: environmentOf(folder, values),
      policy: policyOf(folder, data.grantTargets()),
    });
  }
}
