import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import type { StackFile } from '../../local/stack-file.ts';
import { type RunningStack, startStack } from '../../local/start.ts';

/** Ten and fifty minutes become half a second and two and a half. */
const timeScale = 1200;

declare module 'vitest' {
  export interface ProvidedContext {
    readonly stack: { readonly info: StackFile; readonly scheduleHistoryUrl: string };
  }
}

let stack: RunningStack | undefined;
let dir: string;

/** One stack with a fast clock for all end-to-end tests: each makes customers of its own. */
export async function setup(project: TestProject): Promise<void> {
  dir = await mkdtemp(join(tmpdir(), 'e2e-'));
  stack = await startStack({ port: 0, timeScale, stateDir: dir, stackFile: null });
  await stack.warm;
  project.provide('stack', { info: stack.info, scheduleHistoryUrl: stack.scheduleHistoryUrl });
}

export async function teardown(): Promise<void> {
  await stack?.close();
  await rm(dir, { recursive: true, force: true });
}
