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
  const left = await readFile(lockFile, 'utf8').catch(() => '');
  const owner = Number(left.split(' ')[0]);
  if (owner > 0 && owner !== process.pid && left === (await identityOf(owner))) {
    throw new Error(`Cannot use ${dataDir}: the stack with process id ${owner} runs on it`);
  }
  await writeFile(lockFile, (await identityOf(process.pid)) ?? '');
  return () => rm(lockFile, { force: true });
}

/**
 * Process id and start time: after a restart of the machine or the container, another program has the same id.
 *
 * @returns nothing when no such process runs; a zombie has ended
 */
async function identityOf(pid: number): Promise<string | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  // The name, in parentheses, may hold anything; the state is the third field, the start the twenty-second.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ') ?? [];
  const startTime = fields[22 - 3];
  return startTime === undefined || fields[0] === 'Z' ? undefined : `${pid} ${startTime}`;
}
