import { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { smokeStackOutputs } from '#shared/contract/deployment.ts';
import { everyOption, type SynthesizedStage, synthesizeStage } from './synthesized-stage.ts';

const keptSchema = z.object({
  Type: z.string(),
  DeletionPolicy: z.string().default('Delete'),
  UpdateReplacePolicy: z.string().optional(),
});

const dev = await synthesizeStage();
const prod = await synthesizeStage(everyOption);

it('every stack of a stage that retains its data has termination protection, but the receiver for smoke tests', () => {
  const protectedBy = [...prod.assembly.stacks, ...dev.assembly.stacks].map((stack) => [
    stack.stackName,
    stack.terminationProtection ?? false,
  ]);

  expect(Object.fromEntries(protectedBy)).toEqual({
    'webhooks-prod-data': true,
    'webhooks-prod-api': true,
    'webhooks-prod-delivery': true,
    'webhooks-prod-network': true,
    'webhooks-prod-smoke': false,
    'webhooks-dev-data': false,
    'webhooks-dev-api': false,
    'webhooks-dev-delivery': false,
  });
});

/** What outlives a stack: its type, and what happens on the deletion of the stack and on the replacement. */
function keptBy({ data, api, delivery }: SynthesizedStage): readonly string[] {
  const kept = [data, api, delivery].flatMap((template) =>
    Object.values(template.toJSON().Resources).flatMap((resource) => {
      const { Type, DeletionPolicy, UpdateReplacePolicy } = keptSchema.parse(resource);
      return DeletionPolicy === 'Delete' ? [] : [`${Type} ${DeletionPolicy} ${UpdateReplacePolicy}`];
    }),
  );
  return [...new Set(kept)].toSorted();
}

const ofAccount = ['AWS::ApiGateway::Account Retain Retain', 'AWS::IAM::Role Retain Retain'];

it('a failed first deployment leaves no log group, key or dead letters, but the table, which it could not delete', () => {
  expect(keptBy(prod)).toEqual(
    [
      ...ofAccount,
      'AWS::Backup::BackupVault RetainExceptOnCreate Retain',
      'AWS::DynamoDB::GlobalTable Retain Retain',
      'AWS::KMS::Key RetainExceptOnCreate Retain',
      'AWS::Logs::LogGroup RetainExceptOnCreate Retain',
      'AWS::SQS::Queue RetainExceptOnCreate Retain',
    ].toSorted(),
  );
});

it('a stage that retains its data keeps every dead-letter queue and no other queue', () => {
  const kept = [prod.data, prod.delivery].flatMap((template) =>
    Object.entries(template.findResources('AWS::SQS::Queue')).map(
      ([id, { DeletionPolicy }]) => [/DeadLetters/.test(id), DeletionPolicy !== 'Delete'] as const,
    ),
  );

  expect(kept.filter(([isDeadLetters]) => isDeadLetters)).toHaveLength(5);
  expect(kept.filter(([isDeadLetters, isKept]) => isDeadLetters !== isKept)).toEqual([]);
});

it('a stage that does not retain its data leaves nothing but what its account shares', () => {
  expect(keptBy(dev)).toEqual(ofAccount);
});

describe('the receiver for smoke tests', () => {
  const smoke = Template.fromString(prod.files.at(-1) ?? '');

  it('keeps what it got in a table with a time to live, which goes with the stack also in production', () => {
    smoke.hasResource('AWS::DynamoDB::GlobalTable', {
      DeletionPolicy: 'Delete',
      Properties: { TimeToLiveSpecification: { AttributeName: 'expires_at', Enabled: true } },
    });
  });

  it('depends on no other stack, so it is deployed and removed alone', () => {
    expect(JSON.stringify(smoke.toJSON())).not.toMatch(/Fn::(GetStackOutput|ImportValue)/);
  });

  it('the smoke test finds its public address by an output', () => {
    const [url] = Object.keys(smoke.findResources('AWS::Lambda::Url'));

    smoke.hasOutput(smokeStackOutputs.receiverUrl, { Value: { 'Fn::GetAtt': [url, 'FunctionUrl'] } });
  });
});
