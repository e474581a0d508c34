import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';

/**
 * Identifies the names and the contents of files. A file that is missing differs from an empty one, and a file that is
 * added to a folder counts too.
 *
 * @param paths files and folders below the root
 */
export async function digestOf(root: string, paths: readonly string[]): Promise<string> {
  const files = (await Promise.all(paths.map((path) => filesOf(resolve(root, path))))).flat().toSorted();
  const contents = await Promise.all(
    files.map(async (file) => {
      // Another build may just have removed the file.
      const content = await readFile(file).catch(() => undefined);
      return [relative(root, file), content === undefined ? 'missing' : sha256(content)];
    }),
  );
  return sha256(JSON.stringify(contents));
}

/** Without files whose names begin with a dot: drafts of builds, and what editors write. */
async function filesOf(path: string): Promise<readonly string[]> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) return [];
  if (!found.isDirectory()) return [path];
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
    .map((entry) => join(entry.parentPath, entry.name));
}

export function sha256(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}
