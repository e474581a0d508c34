import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** An app without a folder of its own leaves its templates in a new one: a run would leave 46 of them. */
let folder: string;

export function setup(): void {
  folder = mkdtempSync(join(tmpdir(), 'cdk-'));
  process.env.TMPDIR = folder;
}

export function teardown(): void {
  rmSync(folder, { recursive: true, force: true });
}
