import { Template } from 'aws-cdk-lib/assertions';
import { beforeAll, describe, expect, it } from 'vitest';
import { everyOption, statementsOf, synthesizeStage } from './synthesized-stage.ts';

let template: Template;

beforeAll(async () => {
  const { files } = await synthesizeStage(everyOption);
  template = Template.fromString(files.at(-1) ?? '');
});

describe('the receiver for smoke tests', () => {
  it('has a public URL, and may only add to its own table', () => {
    template.hasResourceProperties('AWS::Lambda::Url', { AuthType: 'NONE' });
    const statements = statementsOf(template, 'smoke/receive');
    const own = statements.filter(({ Action }) => !Action.some((action) => action.startsWith('logs:')));
    expect(own).toMatchObject([
      {
        Action: ['dynamodb:PutItem'],
        Resource: { 'Fn::GetAtt': [expect.stringMatching(/^Received/), 'Arn'] },
      },
    ]);
  });

  it('keeps what it got in a table with a time to live, which goes with the stack also in production', () => {
    template.hasResource('AWS::DynamoDB::GlobalTable', {
      DeletionPolicy: 'Delete',
      Properties: { TimeToLiveSpecification: { AttributeName: 'expires_at', Enabled: true } },
    });
  });

  it('depends on no other stack, so it is deployed and removed alone', () => {
    expect(JSON.stringify(template.toJSON())).not.toMatch(/Fn::(GetStackOutput|ImportValue)/);
  });
});
