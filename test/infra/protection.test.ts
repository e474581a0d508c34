import { Stack } from 'aws-cdk-lib';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { synthesizeStage } from './synthesized-stage.ts';

const keptSchema = z.object({
  Type: z.string(),
  DeletionPolicy: z.string().default('Delete'),
  UpdateReplacePolicy: z.string().optional(),
});

async function protectionOf(context: Record<string, string>): Promise<Readonly<Record<string, boolean>>> {
  const stage = await synthesizeStage(context);
  const stacks = stage.app.node.children.filter((child) => Stack.isStack(child));
  await stage.remove();
  return Object.fromEntries(
    stacks.map(({ stackName, terminationProtection = false }) => [stackName, terminationProtection]),
  );
}

describe('the protection against being deleted', () => {
  it('termination protection is on for every stack of a stage that retains its data', async () => {
    expect(await protectionOf({ stage: 'prod' })).toEqual({
      'webhooks-prod-data': true,
      'webhooks-prod-api': true,
      'webhooks-prod-delivery': true,
    });
  });

  it('termination protection is off for every stack of a stage that does not retain its data', async () => {
    expect(await protectionOf({ stage: 'dev' })).toEqual({
      'webhooks-dev-data': false,
      'webhooks-dev-api': false,
      'webhooks-dev-delivery': false,
    });
  });

  it('a failed first deployment leaves no log group and no key, but the table, which it could not delete', async () => {
    const stage = await synthesizeStage({ stage: 'prod' });
    const kept = [stage.data, stage.api, stage.delivery].flatMap((template) =>
      Object.values(template.toJSON().Resources).flatMap((resource) => {
        const { Type, DeletionPolicy, UpdateReplacePolicy } = keptSchema.parse(resource);
        return DeletionPolicy === 'Delete' ? [] : [`${Type} ${DeletionPolicy} ${UpdateReplacePolicy}`];
      }),
    );
    await stage.remove();

    expect([...new Set(kept)].toSorted()).toEqual([
      'AWS::ApiGateway::Account Retain Retain',
      'AWS::DynamoDB::GlobalTable Retain Retain',
      'AWS::IAM::Role Retain Retain',
      'AWS::KMS::Key RetainExceptOnCreate Retain',
      'AWS::Logs::LogGroup RetainExceptOnCreate Retain',
    ]);
  });
});
