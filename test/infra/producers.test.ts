import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Match, type Template } from 'aws-cdk-lib/assertions';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { repositoryRoot } from '../../lib/bundle.ts';
import { ConfigError, parseConfig } from '../../lib/config.ts';
import { readAppModel } from '../../local/template/app-model.ts';
import { readCloudAssembly } from '../../local/template/cloud-assembly.ts';
import { everyOption, type SynthesizedStage, synthesizeStage } from './synthesized-stage.ts';

let plain: SynthesizedStage;
let open: SynthesizedStage;

beforeAll(async () => {
  plain = await synthesizeStage();
  open = await synthesizeStage({ ...everyOption, stage: 'dev' });
});

afterAll(() => Promise.all([plain.remove(), open.remove()]));

const producers = [
  { 'Fn::Join': ['', ['arn:', { Ref: 'AWS::Partition' }, ':iam::210987654321:root']] },
  'arn:aws:iam::210987654321:role/run-engine',
];

/** Statements of the policies of all queues of a template that allow something. */
function queueAllowances(template: Template): readonly unknown[] {
  return Object.values(template.findResources('AWS::SQS::QueuePolicy')).flatMap((policy) =>
    policy.Properties.PolicyDocument.Statement.filter(({ Effect }: { Effect: string }) => Effect === 'Allow'),
  );
}

describe('producers', () => {
  it('nobody outside of the service may send to its queues, and there is no bus, unless settings say so', () => {
    expect(queueAllowances(plain.data)).toEqual([]);
    plain.data.resourceCountIs('AWS::Events::EventBus', 0);
    plain.data.resourceCountIs('AWS::Events::Rule', 0);
  });

  it('the named principals may send to the intake queue and may do nothing else', () => {
    expect(queueAllowances(open.data)).toContainEqual({
      Sid: 'Producers',
      Effect: 'Allow',
      // The queue's policy sorts them.
      Principal: { AWS: producers.toReversed() },
      Action: 'sqs:SendMessage',
      Resource: { 'Fn::GetAtt': [expect.stringMatching(/^IntakeQueue/), 'Arn'] },
    });
  });

  it.each([
    '*',
    '123',
    '123456789012,',
    '123456789012, 210987654321',
    '123456789012,123456789012',
    'arn:aws:iam::*:role/run-engine',
    'arn:aws:iam::123456789012:role/*',
    'arn:aws:iam::123456789012:user/anna',
    'arn:aws:sts::123456789012:assumed-role/run-engine/session',
    'run-engine',
    '',
  ])('refuses the producers %j', (text) => {
    expect(() => parseConfig((key) => (key === 'producers' ? text : undefined))).toThrow(ConfigError);
  });

  it.each([
    ['123456789012', ['123456789012']],
    [
      'arn:aws:iam::123456789012:role/teams/run/engine,arn:aws-cn:iam::123456789012:role/x',
      ['arn:aws:iam::123456789012:role/teams/run/engine', 'arn:aws-cn:iam::123456789012:role/x'],
    ],
  ])('accepts the producers %j', (text, expected) => {
    expect(parseConfig((key) => (key === 'producers' ? text : undefined)).producers).toEqual(expected);
  });
});

describe('the event bus', () => {
  it('sends the detail of its events to the intake queue, and what fails to a queue of its own', () => {
    open.data.hasResourceProperties('AWS::Events::Rule', {
      EventBusName: { Ref: Match.stringLikeRegexp('^IntakeBus') },
      Name: 'webhooks-dev-intake',
      EventPattern: { source: ['run-engine'], 'detail-type': ['intake-message'] },
      Targets: [
        {
          Arn: { 'Fn::GetAtt': [Match.stringLikeRegexp('^IntakeQueue'), 'Arn'] },
          DeadLetterConfig: {
            Arn: { 'Fn::GetAtt': [Match.stringLikeRegexp('^IntakeBusDeadLetters'), 'Arn'] },
          },
          InputPath: '$.detail',
          SqsParameters: Match.absent(),
        },
      ],
    });
  });

  it('only its rule may send to the two queues as EventBridge', () => {
    const byEvents = queueAllowances(open.data).filter((statement) =>
      JSON.stringify(statement).includes('events.amazonaws.com'),
    );

    expect(byEvents).toEqual(
      ['IntakeQueue', 'IntakeBusDeadLetters'].map((queue) =>
        expect.objectContaining({
          Action: expect.anything(),
          Condition: {
            ArnEquals: {
              'aws:SourceArn': { 'Fn::GetAtt': [expect.stringMatching(/^IntakeBusToIntake/), 'Arn'] },
            },
          },
          Resource: { 'Fn::GetAtt': [expect.stringMatching(new RegExp(`^${queue}`)), 'Arn'] },
        }),
      ),
    );
  });

  it('the producers may put only the events that its rule matches', () => {
    open.data.hasResourceProperties('AWS::Events::EventBusPolicy', {
      StatementId: 'Producers',
      Statement: {
        Effect: 'Allow',
        Action: 'events:PutEvents',
        Principal: { AWS: producers },
        Condition: {
          StringEquals: { 'events:source': 'run-engine', 'events:detail-type': 'intake-message' },
        },
      },
    });
  });

  it('an alarm watches the events that could not be sent, under the dimensions that EventBridge publishes', () => {
    open.delivery.hasResourceProperties('AWS::CloudWatch::Alarm', {
      Namespace: 'AWS/Events',
      MetricName: 'FailedInvocations',
      Dimensions: [
        { Name: 'EventBusName', Value: 'webhooks-dev' },
        { Name: 'RuleName', Value: 'webhooks-dev-intake' },
      ],
      Threshold: 1,
      AlarmDescription: Match.stringLikeRegexp('events-of-the-bus-do-not-arrive$'),
    });
    open.delivery.hasResourceProperties('AWS::CloudWatch::Alarm', {
      Namespace: 'AWS/SQS',
      MetricName: 'ApproximateNumberOfMessagesVisible',
      Dimensions: [{ Name: 'QueueName', Value: 'webhooks-dev-event-bus-dead-letters' }],
      AlarmDescription: Match.stringLikeRegexp('events-of-the-bus-do-not-arrive$'),
    });
  });

  it('the runbook has the section that its alarms name', async () => {
    const page = await readFile(join(repositoryRoot, 'docs/runbook.md'), 'utf8');

    expect(page).toContain('\n## Events of the bus do not arrive\n');
  });

  it('the local stack reads the template and leaves out the bus, which it does not run', async () => {
    const model = readAppModel(await readCloudAssembly(open.outDir), { sqsUrl: 'http://127.0.0.1:1' });

    expect(model.rules.map(({ intervalSeconds }) => intervalSeconds).toSorted()).toEqual([300, 3600]);
    expect(model.queues.map(({ name }) => name)).toContainEqual('webhooks-dev-event-bus-dead-letters');
  });
});
