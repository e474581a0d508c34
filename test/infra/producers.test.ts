import { Match, type Template } from 'aws-cdk-lib/assertions';
import { beforeAll, describe, expect, it } from 'vitest';
import { readAppModel } from '../../local/template/app-model.ts';
import { everyOption, type SynthesizedStage, synthesizeStage } from './synthesized-stage.ts';

let plain: SynthesizedStage;
let open: SynthesizedStage;

beforeAll(async () => {
  plain = await synthesizeStage();
  open = await synthesizeStage(everyOption);
});

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

  it('the local stack reads the template and leaves out the bus, which it does not run', () => {
    const model = readAppModel(open.local, { sqsUrl: 'http://127.0.0.1:1' });

    expect(model.rules.map(({ intervalSeconds }) => intervalSeconds).toSorted()).toEqual([300, 3600]);
    expect(model.queues.map(({ name }) => name)).toContainEqual('webhooks-prod-event-bus-dead-letters');
  });
});
