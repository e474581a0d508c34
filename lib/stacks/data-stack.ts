import { ArnFormat, CfnOutput, Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { AttributeType, ProjectionType, TableEncryptionV2, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { ScheduleGroup } from 'aws-cdk-lib/aws-scheduler';
import type { Construct } from 'constructs';
import { dataStackOutputs, dataStackOutputsOfBus } from '#shared/contract/deployment.ts';
import { tableSchema } from '#shared/contract/table-schema.ts';
import { IntakeBus, principalsOf } from '../constructs/intake-bus.ts';
import { QueueWithDeadLetters } from '../constructs/queue-with-dead-letters.ts';
import { TableBackup } from '../constructs/table-backup.ts';
import type { EnvironmentKey } from '../functions/function-settings.ts';
import type { GrantTarget } from '../functions/grants.ts';
import { slowLane } from '../functions/queue-functions.ts';
import type { Config } from '../settings/config.ts';
import { removalPolicyOf, type StageProps, stackPropsOf } from '../settings/stage-props.ts';
import { billingOf, indexCapacityOf, warmThroughputOf } from '../settings/table-capacity.ts';

const text = (name: string) => ({ name, type: AttributeType.STRING });

/**
 * All stateful resources: the table, the KMS key for signing secrets, the queues and the retry schedules. The queues
 * are here and not in their consumers' stack, because the API sends to the delivery queue and the consumers need the
 * API's address.
 */
export class DataStack extends Stack {
  readonly table: TableV2;
  readonly secretsKey: Key;
  readonly intake: QueueWithDeadLetters;
  /** Another way into the intake; `undefined` unless a setting asks for it. */
  readonly bus: IntakeBus | undefined;
  readonly delivery: QueueWithDeadLetters;
  readonly slowDelivery: QueueWithDeadLetters;
  readonly replay: QueueWithDeadLetters;
  readonly scheduleGroup: ScheduleGroup;
  readonly schedulerRole: Role;

  constructor(scope: Construct, id: string, props: StageProps) {
    super(scope, id, stackPropsOf(props, 'data'));
    this.table = makeTable(this, props.config);
    this.secretsKey = makeSecretsKey(this, props.config);
    const removalPolicy = removalPolicyOf(props.config);
    this.intake = new QueueWithDeadLetters(this, 'Intake', { removalPolicy });
    this.bus = this.admitProducers(props.config);
    this.delivery = new QueueWithDeadLetters(this, 'Delivery', { removalPolicy });
    this.slowDelivery = new QueueWithDeadLetters(this, 'SlowDelivery', {
      removalPolicy,
      batchWindow: slowLane.batchWindow,
      deadLetters: this.delivery.deadLetters,
    });
    this.replay = new QueueWithDeadLetters(this, 'Replay', { removalPolicy });
    // Never retained: the name is fixed, so a retained group would block the next deployment. The table records when
    // retries are due.
    this.scheduleGroup = new ScheduleGroup(this, 'Retries', { removalPolicy: RemovalPolicy.DESTROY });
    this.schedulerRole = makeSchedulerRole(this, this.scheduleGroup);
    this.schedulerRole.addToPolicy(
      new PolicyStatement({
        actions: ['sqs:SendMessage'],
        resources: [this.delivery.queue.queueArn, this.slowDelivery.queue.queueArn],
      }),
    );
    this.addBackup(props.config);
    this.addOutputs();
    this.keepExports();
  }

  /** Copies of the table, if settings ask for them. */
  private addBackup(config: Config): void {
    if (config.backupDays === undefined) return;
    new TableBackup(this, 'Backup', {
      name: `webhooks-${config.stage}`,
      table: this.table,
      days: config.backupDays,
      copyTo: config.backupCopyTo,
      removalPolicy: removalPolicyOf(config),
    });
  }

  /** Lets other programs send to the intake, if settings name them. */
  private admitProducers(config: Config): IntakeBus | undefined {
    const { stage, producers, eventBus } = config;
    const { queue } = this.intake;
    if (producers.length > 0) {
      queue.addToResourcePolicy(
        new PolicyStatement({
          sid: 'Producers',
          principals: principalsOf(producers),
          actions: ['sqs:SendMessage'],
          resources: [queue.queueArn],
        }),
      );
    }
    if (!eventBus) return undefined;
    const bus = new IntakeBus(this, 'IntakeBus', {
      busName: `webhooks-${stage}`,
      intake: queue,
      producers,
      removalPolicy: removalPolicyOf(config),
    });
    new CfnOutput(this, dataStackOutputsOfBus.eventBusArn, { value: bus.bus.eventBusArn });
    new CfnOutput(this, dataStackOutputsOfBus.eventBusDeadLetterQueueUrl, {
      value: bus.deadLetters.queueUrl,
    });
    return bus;
  }

  /** Environment variables that name this stack's resources. */
  environmentValues(): Readonly<Partial<Record<EnvironmentKey, string>>> {
    return {
      tableName: this.table.tableName,
      intakeQueueUrl: this.intake.queue.queueUrl,
      deliveryQueueUrl: this.delivery.queue.queueUrl,
      slowDeliveryQueueUrl: this.slowDelivery.queue.queueUrl,
      replayQueueUrl: this.replay.queue.queueUrl,
      replayDeadLetterQueueUrl: this.replay.deadLetters.queueUrl,
      intakeDeadLetterQueueUrl: this.intake.deadLetters.queueUrl,
      deliveryDeadLetterQueueUrl: this.delivery.deadLetters.queueUrl,
      secretsKeyArn: this.secretsKey.keyArn,
      scheduleGroup: this.scheduleGroup.scheduleGroupName,
      schedulerRoleArn: this.schedulerRole.roleArn,
    };
  }

  /** ARNs of the resources that grants can target. */
  grantTargets(): Record<GrantTarget, string> {
    const { waiting, listed } = tableSchema.indexes;
    return {
      table: this.table.tableArn,
      waitingIndex: `${this.table.tableArn}/index/${waiting.name}`,
      listedIndex: `${this.table.tableArn}/index/${listed.name}`,
      intakeQueue: this.intake.queue.queueArn,
      deliveryQueue: this.delivery.queue.queueArn,
      slowDeliveryQueue: this.slowDelivery.queue.queueArn,
      replayQueue: this.replay.queue.queueArn,
      replayDeadLetterQueue: this.replay.deadLetters.queueArn,
      intakeDeadLetterQueue: this.intake.deadLetters.queueArn,
      deliveryDeadLetterQueue: this.delivery.deadLetters.queueArn,
      secretsKey: this.secretsKey.keyArn,
      schedules: this.formatArn({
        service: 'scheduler',
        resource: 'schedule',
        resourceName: `${this.scheduleGroup.scheduleGroupName}/*`,
        arnFormat: ArnFormat.SLASH_RESOURCE_NAME,
      }),
      schedulerRole: this.schedulerRole.roleArn,
    };
  }

  /** The operator's commands find a deployed stage through these outputs. */
  private addOutputs(): void {
    const outputs = new Map(Object.entries(dataStackOutputs));
    for (const [name, value] of Object.entries(this.environmentValues())) {
      const output = outputs.get(name);
      if (output !== undefined) new CfnOutput(this, output, { value });
    }
    new CfnOutput(this, 'SecretsKeyArn', { value: this.secretsKey.keyArn });
    new CfnOutput(this, 'IntakeQueueArn', { value: this.intake.queue.queueArn });
    new CfnOutput(this, 'ScheduleGroupName', { value: this.scheduleGroup.scheduleGroupName });
  }

  /**
   * Version 0.1.0's stacks import these values, and CloudFormation refuses to remove an imported export. Stacks of this
   * version import only the sources of their event source mappings, so the other exports can be removed once no stage
   * is upgraded from 0.1.0.
   */
  private keepExports(): void {
    const queues = [this.intake, this.delivery].flatMap(({ queue, deadLetters }) => [queue, deadLetters]);
    for (const { queueArn, queueName, queueUrl } of queues) {
      for (const value of [queueArn, queueName, queueUrl]) this.exportValue(value);
    }
    const { table, secretsKey, schedulerRole } = this;
    for (const value of [table.tableName, table.tableArn, secretsKey.keyArn, schedulerRole.roleArn]) {
      this.exportValue(value);
    }
  }
}

/**
 * Encrypted with a DynamoDB-owned key, which adds no charges and no KMS calls per request. Signing secrets, which must
 * stay hidden from readers of the table, are encrypted with `secretsKey` before they are written.
 */
function makeTable(scope: Construct, config: Config): TableV2 {
  const warm = warmThroughputOf(config);
  return new TableV2(scope, 'Table', {
    partitionKey: text(tableSchema.partitionKey),
    sortKey: text(tableSchema.sortKey),
    globalSecondaryIndexes: Object.values(tableSchema.indexes).map((index) => ({
      indexName: index.name,
      partitionKey: text(index.partitionKey),
      sortKey: text(index.sortKey),
      projectionType: ProjectionType.KEYS_ONLY,
      ...indexCapacityOf(config.tableCapacity),
      ...warm.index,
    })),
    billing: billingOf(config.tableCapacity),
    ...warm.table,
    encryption: TableEncryptionV2.dynamoOwnedKey(),
    timeToLiveAttribute: tableSchema.expiresAt,
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: config.retainData },
    deletionProtection: config.retainData,
    // Retained also when the first deployment fails: its protection would make the rollback fail too.
    removalPolicy: config.keepsData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
  });
}

/**
 * Single-Region for good: `MultiRegion` would replace the key of a deployed stage, and no stored secret could be decrypted.
 */
function makeSecretsKey(scope: Construct, config: Config): Key {
  return new Key(scope, 'SecretsKey', {
    description: `${config.stage}: signing secrets of webhook endpoints`,
    enableKeyRotation: true,
    pendingWindow: Duration.days(config.retainData ? 30 : 7),
    removalPolicy: removalPolicyOf(config),
  });
}

/** Only this group's schedules may assume the role, so that another account's schedules cannot send through it. */
function makeSchedulerRole(scope: Stack, group: ScheduleGroup): Role {
  return new Role(scope, 'SchedulerRole', {
    description: 'Lets retry schedules send to the delivery queues',
    assumedBy: new ServicePrincipal('scheduler.amazonaws.com', {
      conditions: {
        StringEquals: { 'aws:SourceAccount': scope.account, 'aws:SourceArn': group.scheduleGroupArn },
      },
    }),
  });
}
