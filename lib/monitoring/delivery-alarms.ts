import { Stack, Validations } from 'aws-cdk-lib';
import type { IAlarm } from 'aws-cdk-lib/aws-cloudwatch';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { type ITopic, Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';
import { isTopicArn } from '../settings/arns.ts';
import { ActionableAlarm, type Alarms } from './actionable-alarm.ts';
import { apiAlarms, attemptAlarms } from './alarms/failure-alarms.ts';
import { busAlarms, noticeAlarms, queueAlarms } from './alarms/queue-alarms.ts';
import { auditAlarms, sweepAlarms } from './alarms/recurring-alarms.ts';
import { consumerAlarms, tableAlarms } from './alarms/summed-alarms.ts';
import type { WatchedStage } from './watched-stage.ts';

/** The alarms of a stage: about attempts, queues, functions, the API, the table, the sweep and the audit. */
export class DeliveryAlarms extends Construct {
  readonly all: readonly IAlarm[];
  /** `undefined` without a target. */
  readonly topic: ITopic | undefined;

  /** @param target address, or ARN of a topic, that receives the alarms; `undefined`: they show in CloudWatch only */
  constructor(scope: Construct, id: string, stage: WatchedStage, target: string | undefined) {
    super(scope, id);
    this.topic = target === undefined ? undefined : topicOf(this, target);
    const alarms: Alarms = {
      ...attemptAlarms(stage),
      ...queueAlarms(stage),
      ...consumerAlarms(stage),
      ...apiAlarms(stage),
      ...tableAlarms(stage),
      ...sweepAlarms(stage),
      ...auditAlarms(stage),
      ...busAlarms(stage),
      ...noticeAlarms(stage),
    };
    this.all = Object.entries(alarms).map(([name, alarm]) => new ActionableAlarm(this, name, alarm, this.topic));
  }
}

/** An address gets a topic of the stage. A topic that exists keeps its own policy and subscriptions. */
function topicOf(scope: Construct, target: string): ITopic {
  return isTopicArn(target) ? Topic.fromTopicArn(scope, 'Topic', target) : addTopic(scope, target);
}

/** A topic's first policy statement replaces AWS's default policy, so CloudWatch needs its own statement. */
function addTopic(scope: Construct, email: string): Topic {
  const topic = new Topic(scope, 'Topic', { enforceSSL: true });
  Validations.of(topic.addSubscription(new EmailSubscription(email))).acknowledge({
    id: 'Serverless-SNSRedrivePolicy',
    reason:
      'An alarm whose email is lost still shows in CloudWatch; an alarm on a queue of lost emails would go to ' +
      'the same address',
  });
  topic.addToResourcePolicy(
    new PolicyStatement({
      actions: ['sns:Publish'],
      principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
      resources: [topic.topicArn],
      conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(scope).account } },
    }),
  );
  return topic;
}
