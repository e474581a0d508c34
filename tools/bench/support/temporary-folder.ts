import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder that is removed with the parts. */
export async function temporaryFolder(parts: AsyncDisposableStack): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-'));
  parts.defer(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
