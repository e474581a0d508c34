import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A new folder of the running test. It is removed when the test and its hooks have ended. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'test-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
