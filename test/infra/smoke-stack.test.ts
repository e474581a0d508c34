import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Template } from 'aws-cdk-lib/assertions';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SynthesizedStage, statementsOf, synthesizeStage } from './synthesized-stage.ts';

let stage: SynthesizedStage;
let template: Template;

beforeAll(async () => {
  stage = await synthesizeStage({ stage: 'prod', smokeReceiver: 'true' });
  template = Template.fromString(
    await readFile(join(stage.outDir, 'webhooks-prod-smoke.template.json'), 'utf8'),
  );
});

afterAll(() => stage.remove());

describe('the receiver for smoke tests', () => {
  it('has a public URL, and may only add to its own table', () => {
    template.hasResourceProperties('AWS::Lambda::Url', { AuthType: 'NONE' });
    const [own, ...others] = statementsOf(template, 'smoke/receive').filter(
      ({ Action }) => !Action.some((action) => action.startsWith('logs:')),
    );
    expect(others).toEqual([]);
    expect(own).toMatchObject({
      Action: ['dynamodb:PutItem'],
      Resource: { 'Fn::GetAtt': [expect.stringMatching(/^Received/), 'Arn'] },
    });
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

  it('is in the app only if a setting says so', async () => {
    const plain = await synthesizeStage({ stage: 'prod' });
    const names = plain.app.node.children.map(({ node }) => node.id);
    await plain.remove();

    expect(names.filter((name) => name.endsWith('-smoke'))).toEqual([]);
  });
});
