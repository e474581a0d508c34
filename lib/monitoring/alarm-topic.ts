import { Stack, Validations } from 'aws-cdk-lib';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Construct } from 'constructs';

/**
 * Sends alarms to one email address. A topic's first policy statement replaces AWS's default policy, so CloudWatch
 * needs its own statement.
 */
export class AlarmTopic extends Topic {
  constructor(scope: Construct, id: string, email: string) {
    super(scope, id, { enforceSSL: true });
    const subscription = this.addSubscription(new EmailSubscription(email));
    Validations.of(subscription).acknowledge({
      id: 'Serverless-SNSRedrivePolicy',
      reason:
        'An alarm whose email is lost still shows in CloudWatch; an alarm on a queue of lost emails would go to ' +
        'the same address',
    });
    this.addToResourcePolicy(
      new PolicyStatement({
        actions: ['sns:Publish'],
        principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
        resources: [this.topicArn],
        conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(this).account } },
      }),
    );
  }
}
