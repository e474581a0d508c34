import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** An app without a folder of its own leaves its templates in a new one: a run would leave 46 of them. */
export default function setup(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'cdk-'));
  process.env.TMPDIR = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}
