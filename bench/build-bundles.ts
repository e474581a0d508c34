import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const repository = fileURLToPath(new URL('..', import.meta.url));

/** Where the bundles of all functions are, one folder for each. */
export const bundleFolder = join(repository, 'dist', 'functions');

/** Builds the bundles, unless they are up to date. */
export async function buildBundles(): Promise<void> {
  await promisify(execFile)(process.execPath, ['bin/build.ts'], { cwd: repository });
}
