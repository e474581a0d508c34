import { Duration, Stack } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as LambdaTarget } from 'aws-cdk-lib/aws-events-targets';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import type { Topic } from 'aws-cdk-lib/aws-sns';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { ActionableAlarm } from '../constructs/actionable-alarm.ts';
import { AlarmTopic } from '../constructs/alarm-topic.ts';
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

/** What moves events: intake, delivery, the sweep for overdue deliveries, and the alarms over them. */
export class DeliveryStack extends Stack {
  private readonly props: DeliveryStackProps;

  constructor(scope: Construct, id: string, props: DeliveryStackProps) {
    super(scope, id, props);
    this.props = props;
    const { data, config } = props;
    this.addConsumer('queue/intake', data.intake.queue, intakeConcurrency);
    this.addConsumer('queue/deliver', data.delivery.queue, config.deliveryConcurrency);
    this.addAlarms(this.addSweep());
  }

  private addConsumer(folder: string, queue: Queue, maxConcurrency: number): void {
    const consumer = this.addFunction(folder);
    consumer.lambda.addEventSource(
      new SqsEventSource(queue, { batchSize, maxConcurrency, reportBatchItemFailures: true }),
    );
  }

  private addSweep(): ServiceFunction {
    const sweep = this.addFunction('schedule/sweep');
    new Rule(this, 'SweepSchedule', {
      description: 'Finds deliveries whose next attempt is overdue',
      schedule: Schedule.rate(sweepInterval),
      // The next sweep is a better retry than a late one.
      targets: [new LambdaTarget(sweep.lambda, { retryAttempts: 0, maxEventAge: sweepInterval })],
    });
    return sweep;
  }

  private addAlarms(sweep: ServiceFunction): void {
    const { data, config } = this.props;
    const topic =
      config.alarmEmail === undefined ? undefined : new AlarmTopic(this, 'Alarms', config.alarmEmail);
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
    const values = { ...data.environmentValues(), serviceName, baseUrl: api.baseUrl, docsUrl: api.docsUrl };
    return new ServiceFunction(this, {
      folder,
      bundles,
      config,
      environment: environmentOf(folder, values),
      policy: policyOf(folder, data.grantTargets()),
    });
  }
}
