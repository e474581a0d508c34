import { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { everyOption, synthesizeStage } from './synthesized-stage.ts';

const keptSchema = z.object({
  Type: z.string(),
  DeletionPolicy: z.string().default('Delete'),
  UpdateReplacePolicy: z.string().optional(),
});

it.each([
  ['prod', true],
  ['dev', false],
])('every stack of stage %s has termination protection: %s', async (name, isProtected) => {
  const { assembly } = await synthesizeStage(name === 'dev' ? {} : { stage: name });

  const protectedBy = assembly.stacks.map(({ stackName, terminationProtection = false }) => [
    stackName,
    terminationProtection,
  ]);

  const parts = ['data', 'api', 'delivery'];
  expect(Object.fromEntries(protectedBy)).toEqual(
    Object.fromEntries(parts.map((part) => [`webhooks-${name}-${part}`, isProtected])),
  );
});

it('a failed first deployment leaves no log group and no key, but the table, which it could not delete', async () => {
  const { data, api, delivery } = await synthesizeStage({ stage: 'prod' });

  const kept = [data, api, delivery].flatMap((template) =>
    Object.values(template.toJSON().Resources).flatMap((resource) => {
      const { Type, DeletionPolicy, UpdateReplacePolicy } = keptSchema.parse(resource);
      return DeletionPolicy === 'Delete' ? [] : [`${Type} ${DeletionPolicy} ${UpdateReplacePolicy}`];
    }),
  );

  expect([...new Set(kept)].toSorted()).toEqual([
    'AWS::ApiGateway::Account Retain Retain',
    'AWS::DynamoDB::GlobalTable Retain Retain',
    'AWS::IAM::Role Retain Retain',
    'AWS::KMS::Key RetainExceptOnCreate Retain',
    'AWS::Logs::LogGroup RetainExceptOnCreate Retain',
  ]);
});

describe('the receiver for smoke tests', () => {
  const smokeStack = async () => Template.fromString((await synthesizeStage(everyOption)).files.at(-1) ?? '');

  it('keeps what it got in a table with a time to live, which goes with the stack also in production', async () => {
    (await smokeStack()).hasResource('AWS::DynamoDB::GlobalTable', {
      DeletionPolicy: 'Delete',
      Properties: { TimeToLiveSpecification: { AttributeName: 'expires_at', Enabled: true } },
    });
  });

  it('depends on no other stack, so it is deployed and removed alone', async () => {
    expect(JSON.stringify((await smokeStack()).toJSON())).not.toMatch(/Fn::(GetStackOutput|ImportValue)/);
  });
});
