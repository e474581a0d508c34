import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import * as z from 'zod';

/** The content of every file that went into the bundles and of the bundles, so that unchanged ones are not rebuilt. */
const recordSchema = z.object({
  /** Identifies the bundler's version and settings, the installed packages, and the names of the published files. */
  settings: z.string(),
  /** SHA-256 of each file, by its path from the root. */
  files: z.record(z.string(), z.string()),
  /** Those of the files that the build wrote. */
  outputs: z.array(z.string()),
});

/** What the recorded build wrote, if every recorded file and the settings are as recorded; otherwise `undefined`. */
export async function recordedOutputs(
  root: string,
  recordFile: string,
  settings: string,
): Promise<readonly string[] | undefined> {
  const stored: unknown = await readFile(recordFile, 'utf8')
    .then((text) => JSON.parse(text))
    .catch(() => undefined);
  const { success, data } = recordSchema.safeParse(stored);
  if (!success || data.settings !== settings) return undefined;
  const hashes = await Promise.all(Object.keys(data.files).map((path) => hashFile(join(root, path))));
  const isCurrent = Object.values(data.files).every((hash, index) => hash === hashes[index]);
  return isCurrent ? data.outputs.map((path) => join(root, path)) : undefined;
}

/**
 * Records the files of a build.
 *
 * @param since epoch milliseconds of the build's start; a file that changed after it leaves no record, because the
 *   bundler may have read its earlier content
 */
export async function writeRecord(
  root: string,
  recordFile: string,
  build: {
    readonly settings: string;
    readonly inputs: readonly string[];
    readonly outputs: readonly string[];
  },
  since: number,
): Promise<void> {
  const changes = await Promise.all(build.inputs.map(async (path) => (await stat(path)).mtimeMs));
  if (changes.some((at) => at >= since)) return;
  const paths = [...build.inputs, ...build.outputs];
  const files = await Promise.all(
    paths.map(async (path) => [relative(root, path), await hashFile(path)] as const),
  );
  const draft = `${recordFile}.${process.pid}`;
  await mkdir(dirname(recordFile), { recursive: true });
  const outputs = build.outputs.map((path) => relative(root, path));
  const record = { settings: build.settings, files: Object.fromEntries(files), outputs };
  await writeFile(draft, JSON.stringify(record));
  await rename(draft, recordFile);
}

/** @returns a fixed text for a missing file */
export async function hashFile(path: string): Promise<string> {
  const content = await readFile(path).catch(() => undefined);
  return content === undefined ? 'missing' : createHash('sha256').update(content).digest('hex');
}
