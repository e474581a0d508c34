import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, onTestFinished } from 'vitest';

const make = () => mkdtemp(join(tmpdir(), 'test-'));
const remove = (folder: string) => rm(folder, { recursive: true, force: true });

/** A new folder of the running test. It is removed when the test and its hooks have ended. */
export async function temporaryFolder(): Promise<string> {
  const folder = await make();
  onTestFinished(() => remove(folder));
  return folder;
}

/** A new folder of all tests of a file or a `describe`. It is removed after the hooks that come below. */
export function useFolder(): () => string {
  let folder: string;
  beforeAll(async () => {
    folder = await make();
  });
  afterAll(() => remove(folder));
  return () => folder;
}
