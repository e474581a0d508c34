import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

/** The CDK writes the templates of an app that names no folder to a new one, and leaves it: 46 in each run. */
let folder: string;

/** Only for this project: others use the folder for temporary files longer than this one is there. */
export function setup({ config }: TestProject): void {
  folder = mkdtempSync(join(tmpdir(), 'cdk-'));
  config.env.TMPDIR = folder;
}

export function teardown(): void {
  rmSync(folder, { recursive: true, force: true });
}
