import { RemovalPolicy, Stack } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it, vi } from 'vitest';
import { Notices } from '../../lib/constructs/notices.ts';
import { ConfigError } from '../../lib/settings/config.ts';

const topicArn = 'arn:aws:sns:eu-central-1:123456789012:ops';
const busArn = 'arn:aws:events:eu-central-1:123456789012:event-bus/ops';
const createdTopic = { Ref: Match.stringLikeRegexp('^NoticesTopic') };
const createdBus = { 'Fn::GetAtt': [Match.stringLikeRegexp('^NoticesBus'), 'Arn'] };
const ofBus = { Source: 'webhooks', DetailType: '$.body.type' };

/** A stack with notices. Without a Region, it can be deployed to any. */
function noticesTo(target: string, region?: string): Stack {
  const stack = new Stack(undefined, 'Stack', region === undefined ? {} : { env: { region } });
  const removalPolicy = RemovalPolicy.DESTROY;
  new Notices(stack, 'Notices', { name: 'webhooks-dev-notices', target, removalPolicy });
  return stack;
}

describe('the setting notices', () => {
  it.each([
    ['topic', createdTopic, 'sns:Publish', Match.absent(), 1],
    ['bus', createdBus, 'events:PutEvents', ofBus, 1],
    [topicArn, topicArn, 'sns:Publish', Match.absent(), 0],
    [busArn, busArn, 'events:PutEvents', ofBus, 0],
  ])('%s: a pipe passes notices to it, and its role may do that', (notices, target, action, bus, made) => {
    const template = Template.fromStack(noticesTo(notices));

    template.hasResource('AWS::Pipes::Pipe', {
      // It is refused before its role may read.
      DependsOn: Match.arrayWith([Match.stringLikeRegexp('^NoticesRoleDefaultPolicy')]),
      Properties: {
        Name: 'webhooks-dev-notices',
        Source: { 'Fn::GetAtt': [Match.stringLikeRegexp('^NoticesQueue'), 'Arn'] },
        SourceParameters: { SqsQueueParameters: { BatchSize: 1 } },
        Target: target,
        TargetParameters: { InputTemplate: '<$.body>', EventBridgeEventBusParameters: bus },
      },
    });
    template.hasResourceProperties('AWS::IAM::Policy', {
      PolicyName: Match.stringLikeRegexp('^NoticesRole'),
      PolicyDocument: {
        Statement: Match.arrayWith([Match.objectLike({ Action: action, Resource: target })]),
      },
    });
    const targets = ['AWS::SNS::Topic', 'AWS::Events::EventBus'].map((type) => template.findResources(type));
    expect(targets.flatMap((found) => Object.keys(found))).toHaveLength(made);
  });
});

/** What cfn-lint's specification of November 2026 leaves out. */
const withoutPipes = [
  ...['ap-east-2', 'ap-southeast-4', 'ap-southeast-5', 'ap-southeast-6', 'ap-southeast-7'],
  ...['ca-west-1', 'il-central-1', 'mx-central-1', 'us-gov-east-1', 'us-gov-west-1'],
];

describe('notices in a Region without EventBridge Pipes', () => {
  const refusal = (target: string, region: string) => ({
    name: ConfigError.name,
    message: `Cannot use the deployment settings: notices is "${target}", but the Region ${region} has no EventBridge Pipes, which pass notices on; leave notices out, or choose another Region`,
  });

  it.each(withoutPipes)('%s is refused, whatever says that it is the Region', (region) => {
    const arn = `arn:aws:sns:${region}:123456789012:ops`;
    const bus = `arn:aws:events:${region}:123456789012:event-bus/ops`;

    expect(() => noticesTo('topic', region)).toThrow(expect.objectContaining(refusal('topic', region)));
    for (const target of [arn, bus]) {
      expect(() => noticesTo(target)).toThrow(expect.objectContaining(refusal(target, region)));
    }
    vi.stubEnv('CDK_DEFAULT_REGION', region);
    expect(() => noticesTo('bus')).toThrow(expect.objectContaining(refusal('bus', region)));
  });

  it('every other Region is accepted, and the Region of the stack counts before that of the CDK CLI', () => {
    expect(() => noticesTo('topic', 'eu-central-2')).not.toThrow();
    vi.stubEnv('CDK_DEFAULT_REGION', 'ca-west-1');
    expect(() => noticesTo('topic', 'ca-central-1')).not.toThrow();
  });
});
