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
  it('is on for every stack of a stage to keep: without its API the address of all customers changes', async () => {
    expect(await protectionOf({ stage: 'prod' })).toEqual({
      'webhooks-prod-data': true,
      'webhooks-prod-api': true,
      'webhooks-prod-delivery': true,
    });
  });

  it('is off for every stack of a throw-away stage', async () => {
    expect(await protectionOf({ stage: 'dev' })).toEqual({
      'webhooks-dev-data': false,
      'webhooks-dev-api': false,
      'webhooks-dev-delivery': false,
    });
  });
});
