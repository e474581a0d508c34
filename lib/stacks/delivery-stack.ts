import { createHash } from 'node:crypto';
import { Duration, Stack, Token, Validations } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as LambdaTarget } from 'aws-cdk-lib/aws-events-targets';
import type { EventSourceMappingOptions } from 'aws-cdk-lib/aws-lambda';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import type { FunctionFolder } from '#shared/contract/functions.ts';
import { Notices } from '../constructs/notices.ts';
import type { ServiceFunction } from '../constructs/service-function.ts';
import { policyOf } from '../functions/grants.ts';
import { noticeGrants, slowLane } from '../functions/queue-functions.ts';
import { DeliveryAlarms } from '../monitoring/delivery-alarms.ts';
import { DeliveryDashboard } from '../monitoring/delivery-dashboard.ts';
import { ServiceMetrics } from '../monitoring/service-metrics.ts';
import type { Recurring, WatchedStage } from '../monitoring/watched-stage.ts';
import { pollersOf } from '../settings/concurrency.ts';
import { removalPolicyOf, stackPropsOf } from '../settings/stage-props.ts';
import type { ApiStack } from './api-stack.ts';
import { addStageFunction, type StageFunctionProps } from './stage-function.ts';

export type DeliveryStackProps = StageFunctionProps & { readonly api: ApiStack };

/**
 * Ten messages share one receive, one delete and one invocation. Intake messages can be 1 MB each, but Lambda ends a
 * batch at 6 MB, so large messages come in batches of at most five, whatever the size here.
 */
const intakeBatchSize = 10;

/** A batch's POSTs run in parallel, so ten slow receivers occupy one function. */
const deliveryBatchSize = 10;

/** A step takes seconds and waits for the table, so each has a function of its own. */
const replayBatchSize = 1;

/** Maximum time to notice a lost or refused retry schedule. */
const sweepInterval = Duration.minutes(5);

/** Maximum time to find a stranded delivery, counted from when its last message could have left the queue. */
const auditInterval = Duration.hours(1);

const nothingToReplay =
  'Every call is the same and carries no work: the next run covers for a missed or failed one, so there is ' +
  'nothing to replay';

/** The delivery pipeline: intake, delivery, the sweep for overdue deliveries, the audit, and their alarms. */
export class DeliveryStack extends Stack {
  private readonly props: DeliveryStackProps;
  /** `undefined` unless a setting asks for them. */
  private readonly notices: Notices | undefined;
  /** `undefined` unless a setting asks for it. */
  readonly alarmTopic: ITopic | undefined;

  constructor(scope: Construct, id: string, props: DeliveryStackProps) {
    super(scope, id, stackPropsOf(props, 'delivery'));
    this.props = props;
    const { data, api, network, config } = props;
    // Explicit, because only some settings make this stack read the other stacks' outputs.
    for (const stack of [data, api, ...(network === undefined ? [] : [network])]) this.addStackDependency(stack);
    this.notices = this.addNotices();
    const consumers = this.addConsumers();
    const delivering = [consumers.deliver, consumers.deliverSlow];
    for (const scheduling of delivering) this.acknowledgeScheduleNames(scheduling);
    this.notices?.admit(
      delivering.map(({ lambda }) => lambda),
      policyOf(noticeGrants, data.grantTargets()),
    );
    const stage: WatchedStage = {
      metrics: new ServiceMetrics(config.stage),
      data,
      api,
      consumers,
      notices: this.notices,
      sweep: this.addRecurring('schedule/sweep', 'SweepSchedule', {
        description: 'Finds deliveries whose next attempt is overdue',
        every: sweepInterval,
      }),
      audit: this.addRecurring('schedule/audit', 'AuditSchedule', {
        description: 'Finds stranded deliveries, which nothing would continue',
        every: auditInterval,
      }),
    };
    const alarms = new DeliveryAlarms(this, 'Alarms', stage, config.alarmEmail);
    this.alarmTopic = alarms.topic;
    if (config.dashboard) new DeliveryDashboard(this, 'Dashboard', stage, alarms.all);
  }

  /** `undefined` unless notices go to a topic. */
  get noticesTopic(): ITopic | undefined {
    return this.notices?.topic;
  }

  private addNotices(): Notices | undefined {
    const { config } = this.props;
    if (config.notices === undefined) return undefined;
    return new Notices(this, 'Notices', {
      name: `webhooks-${config.stage}-notices`,
      target: config.notices,
      removalPolicy: removalPolicyOf(config),
    });
  }

  private addConsumers(): WatchedStage['consumers'] {
    const { data, config } = this.props;
    const maxBatchingWindow = Duration.seconds(config.batchWindow);
    return {
      intake: this.addConsumer('queue/intake', data.intake.queue, {
        batchSize: intakeBatchSize,
        maxBatchingWindow,
        ...pollersOf(config.intakeConcurrency, config.queuePollers),
      }),
      deliver: this.addConsumer('queue/deliver', data.delivery.queue, {
        batchSize: deliveryBatchSize,
        maxBatchingWindow,
        ...pollersOf(config.deliveryConcurrency, config.queuePollers),
      }),
      deliverSlow: this.addConsumer('queue/deliver-slow', data.slowDelivery.queue, {
        batchSize: slowLane.batchSize,
        maxBatchingWindow: Duration.seconds(slowLane.batchWindow),
        maxConcurrency: config.slowDeliveryConcurrency,
      }),
      replay: this.addConsumer('queue/replay', data.replay.queue, {
        batchSize: replayBatchSize,
        maxConcurrency: config.replayConcurrency,
      }),
    };
  }

  private addConsumer(
    folder: FunctionFolder,
    queue: Queue,
    source: Omit<EventSourceMappingOptions, 'eventSourceArn'>,
  ): ServiceFunction {
    const consumer = this.addFunction(folder);
    consumer.lambda.addEventSourceMapping(mappingId(queue), {
      ...source,
      // Imported: another source replaces the mapping, which CloudFormation may plan for a weak reference, whose value it
      // does not know until it updates the stack.
      eventSourceArn: Stack.of(queue).exportValue(queue.queueArn),
      reportBatchItemFailures: true,
    });
    queue.grantConsumeMessages(consumer.lambda);
    Validations.of(consumer.lambda).acknowledge({
      id: 'Serverless-LambdaEventSourceMappingDestination',
      reason:
        'Only streams have failure destinations; a failed message returns to the queue, then moves to the ' +
        'dead-letter queue',
    });
    return consumer;
  }

  private acknowledgeScheduleNames(deliver: ServiceFunction): void {
    const known = (value: string, name: string) => (Token.isUnresolved(value) ? `<AWS::${name}>` : value);
    const { partition, region, account } = this;
    const arn = [
      'arn',
      known(partition, 'Partition'),
      'scheduler',
      known(region, 'Region'),
      known(account, 'AccountId'),
    ];
    const schedules = `schedule/${this.props.data.scheduleGroup.scheduleGroupName}/*`;
    Validations.of(deliver).acknowledge({
      id: `AwsSolutions-IAM5[Resource::${[...arn, schedules].join(':')}]`,
      reason:
        'Schedule names are known only at run time: each has the ids of a delivery and an attempt. The group holds ' +
        "only this stage's retries, and the function may create schedules but not change or delete them",
    });
  }

  /**
   * Calls a function at a fixed interval. A late call is dropped, because the next run does its work; otherwise a
   * throttled function would receive up to six hours of missed calls at once.
   */
  private addRecurring(
    folder: FunctionFolder,
    id: string,
    { description, every }: { readonly description: string; readonly every: Duration },
  ): Recurring {
    const run = this.addFunction(folder);
    const rule = new Rule(this, id, {
      description,
      schedule: Schedule.rate(every),
      targets: [new LambdaTarget(run.lambda, { retryAttempts: 0, maxEventAge: every })],
    });
    // Lambda queues the call under its own age limit. It still retries a failed run.
    run.lambda.configureAsyncInvoke({ maxEventAge: every });
    const reason = nothingToReplay;
    Validations.of(rule).acknowledge({ id: 'Serverless-EventBusDLQ', reason });
    Validations.of(run.lambda).acknowledge({ id: 'Serverless-LambdaAsyncFailureDestination', reason });
    return { run, every };
  }

  private addFunction(folder: FunctionFolder): ServiceFunction {
    const baseUrl = this.props.api.publicAddress();
    const noticesQueueUrl = this.notices?.queue.queue.queueUrl;
    const ofNotices = noticesQueueUrl !== undefined && { noticesQueueUrl, consoleUrl: `${baseUrl}/console` };
    return addStageFunction(this, folder, this.props, { baseUrl, ...ofNotices });
  }
}

/**
 * The id that the CDK gives the mapping of a queue in a stack at the top of an app, wherever in an app the stack is.
 * CloudFormation would create a mapping with another id before it deletes this one, and Lambda refuses a second mapping
 * of the same queue and function.
 */
function mappingId(queue: Queue): string {
  const { stackName, node } = Stack.of(queue);
  const path = `${stackName}${queue.node.path.slice(node.path.length)}`;
  const digest = createHash('md5').update(path).digest('hex').slice(0, 8).toUpperCase();
  return `SqsEventSource:${path.replaceAll(/[^A-Za-z0-9]/g, '')}${digest}`;
}
