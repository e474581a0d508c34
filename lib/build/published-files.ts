import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import { sha256 } from './digest.ts';

/** Files that a function serves, and what they are made of. */
export type FileSource = {
  /** Files and folders below the root. */
  readonly sources: readonly string[];
  /** Content of each file by its name. */
  readonly build: (root: string) => Promise<ReadonlyMap<string, string>>;
};

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

/** The console: one page, which loads one script and one stylesheet. */
export const consoleFiles: FileSource = { sources: ['console', 'packages/api-client'], build: buildConsole };

/** Everything that one function serves. */
export const publishedFiles: FileSource = {
  sources: [...siteFiles.sources, ...consoleFiles.sources],
  build: async (root) => {
    const built = await Promise.all([siteFiles, consoleFiles].map((source) => source.build(root)));
    return new Map(built.flatMap((files) => [...files]));
  },
};

async function buildConsole(root: string): Promise<ReadonlyMap<string, string>> {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: ['console/main.tsx'],
    outdir: 'console',
    tsconfig: 'console/tsconfig.json',
    write: false,
    bundle: true,
    format: 'iife',
    platform: 'browser',
    target: ['chrome120', 'firefox121', 'safari17.4'],
    minify: true,
    legalComments: 'none',
    logLevel: 'error',
  });
  const page = await readFile(join(root, 'console', 'index.html'), 'utf8');
  const icon = await readFile(join(root, 'tools', 'docs', 'site', 'assets', 'favicon.svg'), 'utf8');
  const assets = new Map([
    ['icon', named('icon.svg', icon)],
    ['style', named('console.css', textOf('.css', outputFiles))],
    ['script', named('console.js', textOf('.js', outputFiles))],
  ]);
  const html = page.replace(/%(\w+)%/g, (_placeholder, name: string) => assets.get(name)?.name ?? '');
  return new Map([
    ['console.html', html],
    ...[...assets.values()].map(({ name, content }) => [name, content] as const),
  ]);
}

/** The name contains a digest of the content, so that browsers may keep the file for ever. */
function named(file: string, content: string) {
  const digest = sha256(content).slice(0, 12);
  return { name: `console/assets/${file.replace(/(\.\w+)$/, `-${digest}$1`)}`, content };
}

function textOf(ending: string, files: readonly { readonly path: string; readonly text: string }[]): string {
  return files.find(({ path }) => path.endsWith(ending))?.text ?? '';
}
