import { access, constants, mkdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { messageOf } from '../../operator/cli/run-program.ts';
import { ClaimedError, claim } from './claim.ts';
import { stackFileSchema } from './stack-file.ts';

/**
 * Claims the data folder for this stack, even if a killed process had claimed it.
 *
 * @returns the function that releases it
 * @throws Error when it cannot be written to, or another stack uses it
 */
export async function claimDataDir(dataDir: string): Promise<() => void> {
  await makeFolder(dataDir, `Cannot keep data in ${dataDir}`, 'name another folder with --data');
  return await claimOr(path.join(dataDir, 'stack.lock'), async (processId) => {
    const problem = `Cannot use ${dataDir}: the stack with process id ${processId} uses it`;
    return `${problem}. End that stack, or name another folder with --data`;
  });
}

/**
 * Claims the stack file, through which other programs find the stack.
 *
 * @returns the function that releases it
 * @throws Error that names the stack that holds the claim
 */
export async function claimStackFile(stackFile: string): Promise<() => void> {
  const remedy = 'start in a folder that you can write to';
  await makeFolder(path.dirname(stackFile), `Cannot write ${stackFile}`, remedy);
  return await claimOr(`${stackFile}.lock`, async (processId) => {
    const state = await describeState(stackFile);
    const problem = `Cannot start: ${stackFile} belongs to the stack with process id ${processId}, ${state}`;
    return `${problem}. End that stack, or give this one another file with --stack-file`;
  });
}

async function claimOr(file: string, describe: (processId: number) => Promise<string>): Promise<() => void> {
  try {
    return claim(file);
  } catch (error) {
    if (!(error instanceof ClaimedError)) throw error;
    throw new Error(await describe(error.processId), { cause: error });
  }
}

async function describeState(stackFile: string): Promise<string> {
  try {
    const { api_url } = stackFileSchema.pick({ api_url: true }).parse(JSON.parse(await readFile(stackFile, 'utf8')));
    return `which answers at ${api_url}`;
  } catch {
    return 'which is starting or ending';
  }
}

/** Replaces a recursive `mkdir`, which never returns on some file systems that refuse new folders. */
async function makeFolder(folder: string, problem: string, remedy: string): Promise<void> {
  try {
    for (const missing of (await missingFolders(folder)).toReversed()) {
      await mkdir(missing, { mode: 0o700 }).catch(unless('EEXIST'));
    }
    await access(folder, constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new Error(`${problem} (${messageOf(error)}): ${remedy}`, { cause: error });
  }
}

async function missingFolders(folder: string): Promise<readonly string[]> {
  const found = await stat(folder).catch(unless('ENOENT'));
  if (found === undefined) return [folder, ...(await missingFolders(path.dirname(folder)))];
  if (!found.isDirectory()) throw new Error(`${folder} is not a folder`);
  return [];
}

function unless(code: string): (error: unknown) => undefined {
  return (error) => {
    if (error instanceof Error && 'code' in error && error.code === code) return undefined;
    throw error;
  };
}
