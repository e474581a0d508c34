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
