import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Files that a function serves, and what they are made of. */
export type FileSource = {
  /** Files and folders below the root. */
  readonly sources: readonly string[];
  /** Content of each file by its name. */
  readonly build: (root: string) => Promise<ReadonlyMap<string, string>>;
};

/** The documentation site, and the generator with all that it imports. */
export const siteFiles: FileSource = {
  sources: [
    'docs/site',
    'docs/pages',
    'docs/glossary.md',
    'CHANGELOG.md',
    'docs/openapi.json',
    'shared/contract',
    'shared/domain',
  ],
  build: async (root) => {
    // Takes half a second to load.
    const { buildSite } = await import('../docs/site/build-site.ts');
    return await buildSite(root);
  },
};

/** The files that are or that are below the given ones, in order. */
export async function listFiles(root: string, sources: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.all(sources.map((source) => filesOf(join(root, source))));
  return found.flat().toSorted();
}

async function filesOf(path: string): Promise<readonly string[]> {
  if (!(await stat(path)).isDirectory()) return [path];
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}
