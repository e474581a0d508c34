import { CfnOutput, type RemovalPolicy, Stack, Token } from 'aws-cdk-lib';
import { EventBus } from 'aws-cdk-lib/aws-events';
import { Policy, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { CfnPipe } from 'aws-cdk-lib/aws-pipes';
import { type ITopic, Topic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { noticeSource } from '#shared/contract/messages/notice-message.ts';
import { ConfigError } from '../settings/config.ts';
import { QueueWithDeadLetters } from './queue-with-dead-letters.ts';

export type NoticesProps = {
  /** Of the pipe, and of a bus that is created. */
  readonly name: string;
  /** `topic` or `bus` creates one; otherwise the ARN of one in the same account and Region. */
  readonly target: string;
  /** What happens to the dead letters when the stack or the notices are deleted. */
  readonly removalPolicy: RemovalPolicy;
};

/** Regions without EventBridge Pipes, as of November 2026. */
const withoutPipes = [
  ...['ap-east-2', 'ap-southeast-4', 'ap-southeast-5', 'ap-southeast-6', 'ap-southeast-7'],
  ...['ca-west-1', 'il-central-1', 'mx-central-1', 'us-gov-east-1', 'us-gov-west-1'],
];

/**
 * Passes notices to the operator: a queue, and a pipe that sends its messages to a topic or a bus. Functions only need to
 * reach the queue, and a target that fails holds back nothing but the notices.
 */
export class Notices extends Construct {
  readonly queue: QueueWithDeadLetters;
  /** `undefined` when notices go to a bus. */
  readonly topic: ITopic | undefined;

  constructor(scope: Construct, id: string, { name, target, removalPolicy }: NoticesProps) {
    super(scope, id);
    this.checkRegion(target);
    this.queue = new QueueWithDeadLetters(this, 'Notices', { removalPolicy });
    const isBus = target === 'bus' || target.includes(':event-bus/');
    this.topic = isBus ? undefined : this.topicOf(target);
    const targetArn = this.topic?.topicArn ?? this.busOf(target, name);
    const role = this.makeRole(name);
    this.queue.queue.grant(role, 'sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes');
    const actions = [isBus ? 'events:PutEvents' : 'sns:Publish'];
    role.addToPolicy(new PolicyStatement({ actions, resources: [targetArn] }));
    const pipe = new CfnPipe(this, 'Pipe', {
      name,
      source: this.queue.queue.queueArn,
      sourceParameters: { sqsQueueParameters: { batchSize: 1 } },
      target: targetArn,
      targetParameters: {
        inputTemplate: '<$.body>',
        ...(isBus && {
          eventBridgeEventBusParameters: { source: noticeSource, detailType: '$.body.type' },
        }),
      },
      roleArn: role.roleArn,
    });
    // A pipe is refused before its role may read.
    pipe.node.addDependency(role);
    new CfnOutput(Stack.of(this), 'NoticesTarget', { value: targetArn });
    new CfnOutput(Stack.of(this), 'NoticesDeadLetterQueueArn', { value: this.queue.deadLetters.queueArn });
  }

  /** @throws ConfigError when pipes are missing where the stack, the target or the CDK CLI says that the stage will be */
  private checkRegion(target: string): void {
    const { region } = Stack.of(this);
    const ofStack = Token.isUnresolved(region) ? process.env.CDK_DEFAULT_REGION : region;
    const known = [ofStack, target.split(':')[3]];
    const missing = withoutPipes.find((each) => known.includes(each));
    if (missing === undefined) return;
    throw new ConfigError(
      `notices is "${target}", but the Region ${missing} has no EventBridge Pipes, which pass notices on; ` +
        'leave notices out, or choose another Region',
    );
  }

  /** Lets functions send notices, with what else they need for that. */
  admit(senders: readonly LambdaFunction[], more: readonly PolicyStatement[]): void {
    const send = new PolicyStatement({
      actions: ['sqs:SendMessage'],
      resources: [this.queue.queue.queueArn],
    });
    const policy = new Policy(this, 'Senders', { statements: [send, ...more] });
    for (const { role } of senders) role?.attachInlinePolicy(policy);
  }

  private topicOf(target: string): ITopic {
    const isOwn = target === 'topic';
    return isOwn ? new Topic(this, 'Topic', { enforceSSL: true }) : Topic.fromTopicArn(this, 'Topic', target);
  }

  /** The ARN of the bus. */
  private busOf(target: string, name: string): string {
    return target === 'bus' ? new EventBus(this, 'Bus', { eventBusName: name }).eventBusArn : target;
  }

  /** Only this pipe may assume it. */
  private makeRole(name: string): Role {
    const { account } = Stack.of(this);
    const pipeArn = Stack.of(this).formatArn({ service: 'pipes', resource: 'pipe', resourceName: name });
    return new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('pipes.amazonaws.com', {
        conditions: { StringEquals: { 'aws:SourceAccount': account, 'aws:SourceArn': pipeArn } },
      }),
    });
  }
}
