import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Match, type Template } from 'aws-cdk-lib/assertions';
import { beforeAll, describe, expect, it } from 'vitest';
import { readAppModel } from '../../local/template/app-model.ts';
import { readCloudAssembly } from '../../local/template/cloud-assembly.ts';
import { everyOption, type SynthesizedStage, synthesizeStage, writeStage } from './synthesized-stage.ts';

let plain: SynthesizedStage;
let open: SynthesizedStage;

beforeAll(async () => {
  plain = await synthesizeStage();
  open = await synthesizeStage(everyOption);
});

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
});

describe('the event bus', () => {
  it('sends the detail of its events to the intake queue, and what fails to a queue of its own', () => {
    open.data.hasResourceProperties('AWS::Events::Rule', {
      EventBusName: { Ref: Match.stringLikeRegexp('^IntakeBus') },
      Name: 'webhooks-prod-intake',
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

  it('the local stack reads the template and leaves out the bus, which it does not run', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'bus-'));
    const { assembly } = await writeStage(everyOption, folder);
    const model = readAppModel(await readCloudAssembly(assembly.directory), { sqsUrl: 'http://127.0.0.1:1' });
    await rm(folder, { recursive: true });

    expect(model.rules.map(({ intervalSeconds }) => intervalSeconds).toSorted()).toEqual([300, 3600]);
    expect(model.queues.map(({ name }) => name)).toContainEqual('webhooks-prod-event-bus-dead-letters');
  });
});
