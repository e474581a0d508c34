import { Stack } from 'aws-cdk-lib';
import { describe, expect, it } from 'vitest';
import { synthesizeStage } from './synthesized-stage.ts';

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
});
