import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { FileSource } from '../settings/file-source.ts';
import { consoleFiles } from './console-files.ts';

/** The documentation site, and the generator with all that it imports. */
const siteFiles: FileSource = {
  sources: [
    'tools/docs/problems.ts',
    'tools/docs/site',
    'docs/pages',
    'docs/glossary.md',
    'CHANGELOG.md',
    'docs/openapi.json',
    'shared/contract',
    'shared/domain',
  ],
  build: async (root) => {
    // Takes half a second to load.
    const { buildSite } = await import('../../tools/docs/site/build-site.ts');
    return await buildSite(root);
  },
};

/** Everything that one function serves. */
export const publishedFiles: FileSource = {
  sources: [...siteFiles.sources, ...consoleFiles.sources],
  build: async (root) => {
    const built = await Promise.all([siteFiles, consoleFiles].map((source) => source.build(root)));
    return new Map(built.flatMap((files) => [...files]));
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
