import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

/**
 * Makes the folder of kept data this process's own, and gives the function that releases it. What a killed process
 * left behind is taken over.
 *
 * @throws Error when another stack runs on it
 */
export async function claimDataDir(dataDir: string): Promise<() => Promise<void>> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const lockFile = path.join(dataDir, 'stack.pid');
  const owner = Number(await readFile(lockFile, 'utf8').catch(() => ''));
  if (owner > 0 && owner !== process.pid && isRunning(owner)) {
    throw new Error(`Cannot use ${dataDir}: the stack with process id ${owner} runs on it`);
  }
  await writeFile(lockFile, String(process.pid));
  return () => rm(lockFile, { force: true });
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
