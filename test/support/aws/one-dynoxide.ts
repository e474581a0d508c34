import type { TestProject } from 'vitest/node';
import type { RunningService } from '../../../tools/local/aws/aws-api.ts';
import { startDynoxide } from './dynoxide.ts';

let dynoxide: RunningService | undefined;

/** One Dynoxide for all tests of a project, each with tables of its own: two processes to start in place of forty. */
export async function setup({ config }: TestProject): Promise<void> {
  dynoxide = await startDynoxide();
  config.env.ON_DYNOXIDE = dynoxide.url;
}

export async function teardown(): Promise<void> {
  await dynoxide?.[Symbol.asyncDispose]();
}
