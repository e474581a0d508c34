import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';

/**
 * Identifies the names and the contents of files. A file that is missing differs from an empty one, and a file that is
 * added to a folder counts too. One file is open at a time: a process may open as few as 256.
 *
 * @param paths files and folders below the root
 */
export function digestOf(root: string, paths: readonly string[]): string {
  const files = paths.flatMap((path) => filesOf(resolve(root, path))).toSorted();
  return sha256(JSON.stringify(files.map((file) => [relative(root, file), digestOfFile(file)])));
}

function digestOfFile(file: string): string {
  try {
    return sha256(readFileSync(file));
  } catch (error) {
    // Another build may just have removed the file.
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return 'missing';
    throw error;
  }
}

/** Without files whose names begin with a dot: drafts of builds, and what editors write. */
function filesOf(path: string): readonly string[] {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return [];
  if (!found.isDirectory()) return [path];
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
    .map((entry) => join(entry.parentPath, entry.name));
}

export function sha256(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}
