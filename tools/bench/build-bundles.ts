import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const repository = fileURLToPath(new URL('../..', import.meta.url));

/** Where the bundles of all functions are, one folder for each. */
export const bundleFolder = join(repository, 'dist', 'functions');

/** Builds the bundles, unless they are up to date. */
export async function buildBundles(): Promise<void> {
  await promisify(execFile)(process.execPath, ['bin/build.ts'], { cwd: repository });
}

/** A bundle of a build. */
export type Bundle = {
  /** Folder of the function below `functions/`. */
  readonly name: string;
  readonly file: string;
};

/** @throws Error when the folder holds no bundles */
export async function bundlesIn(root: string): Promise<readonly Bundle[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const folders = entries.filter(({ name }) => name === 'index.mjs').map(({ parentPath }) => parentPath);
  if (folders.length === 0) throw new Error(`Cannot measure ${root}: it holds no <function>/index.mjs`);
  return folders.toSorted().map((folder) => ({ name: relative(root, folder), file: join(folder, 'index.mjs') }));
}
