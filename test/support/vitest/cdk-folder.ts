import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The CDK writes the templates of an app that names no folder to a new one, and leaves it: 46 in each run. */
let folder: string;

export function setup(): void {
  folder = mkdtempSync(join(tmpdir(), 'cdk-'));
  process.env.TMPDIR = folder;
}

export function teardown(): void {
  rmSync(folder, { recursive: true, force: true });
}
