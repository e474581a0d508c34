import { Stack } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { Notices } from '../../lib/constructs/notices.ts';

const topicArn = 'arn:aws:sns:eu-central-1:123456789012:ops';
const busArn = 'arn:aws:events:eu-central-1:123456789012:event-bus/ops';
const createdTopic = { Ref: Match.stringLikeRegexp('^NoticesTopic') };
const createdBus = { 'Fn::GetAtt': [Match.stringLikeRegexp('^NoticesBus'), 'Arn'] };
const ofBus = { Source: 'webhooks', DetailType: '$.body.type' };

describe('the setting notices', () => {
  it.each([
    ['topic', createdTopic, 'sns:Publish', Match.absent(), 1],
    ['bus', createdBus, 'events:PutEvents', ofBus, 1],
    [topicArn, topicArn, 'sns:Publish', Match.absent(), 0],
    [busArn, busArn, 'events:PutEvents', ofBus, 0],
  ])('%s: a pipe passes notices to it, and its role may do that', (notices, target, action, bus, made) => {
    const stack = new Stack();
    new Notices(stack, 'Notices', { name: 'webhooks-dev-notices', target: notices });
    const template = Template.fromStack(stack);

    template.hasResourceProperties('AWS::Pipes::Pipe', {
      Name: 'webhooks-dev-notices',
      Source: { 'Fn::GetAtt': [Match.stringLikeRegexp('^NoticesQueue'), 'Arn'] },
      SourceParameters: { SqsQueueParameters: { BatchSize: 1 } },
      Target: target,
      TargetParameters: { InputTemplate: '<$.body>', EventBridgeEventBusParameters: bus },
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
