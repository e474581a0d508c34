import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build, type OutputFile } from 'esbuild';
import { type Brand, brandStyle } from '../../site/brand.ts';
import { escapeHtml } from '../../site/html.ts';
import { sha256 } from './digest.ts';

/** Files that a function serves, and what they are made of. */
export type FileSource = {
  /** Files and folders below the root. */
  readonly sources: readonly string[];
  /** Content of each file by its name. */
  readonly build: (root: string, brand?: Brand) => Promise<ReadonlyMap<string, string>>;
};

/** The documentation site, and the generator with all that it imports. */
const siteFiles: FileSource = {
  sources: [
    'site',
    'docs/pages',
    'docs/glossary.md',
    'CHANGELOG.md',
    'docs/openapi.json',
    'shared/contract',
    'shared/domain',
  ],
  build: async (root, brand) => {
    // Takes half a second to load.
    const { buildSite } = await import('../../site/build-site.ts');
    return await buildSite(root, brand);
  },
};

/** The console: one page, which loads one script and one stylesheet. */
export const consoleFiles: FileSource = { sources: ['console', 'packages/api-client'], build: buildConsole };

/** Everything that one function serves. */
export const publishedFiles: FileSource = {
  sources: [...siteFiles.sources, ...consoleFiles.sources],
  build: async (root, brand) => {
    const built = await Promise.all([siteFiles, consoleFiles].map((source) => source.build(root, brand)));
    return new Map(built.flatMap((files) => [...files]));
  },
};

async function buildConsole(root: string, brand: Brand = {}): Promise<ReadonlyMap<string, string>> {
  const outputFiles = await compileConsole(root);
  const page = await readFile(join(root, 'console', 'index.html'), 'utf8');
  const icon = brand.favicon ?? (await readFile(join(root, 'site/assets/favicon.svg'), 'utf8'));
  const { logo, logoDark } = brand;
  const assets = new Map([
    ['icon', named('icon.svg', icon)],
    ['style', named('console.css', textOf('.css', outputFiles) + brandStyle(brand))],
    ['script', named('console.js', textOf('.js', outputFiles))],
    ...(logo === undefined ? [] : [['logo', named('logo.svg', logo)] as const]),
    ...(logoDark === undefined ? [] : [['logo-dark', named('logo-dark.svg', logoDark)] as const]),
  ]);
  const nameOf = (asset: string) => assets.get(asset)?.name;
  const attributes = {
    name: brand.name,
    support: brand.supportLink,
    logo: nameOf('logo'),
    'logo-dark': nameOf('logo-dark'),
  };
  const texts = new Map([
    ['title', escapeHtml(brand.name ?? 'Webhooks')],
    ['brand', dataAttributes(attributes)],
  ]);
  const html = page.replace(/%(\w+)%/g, (_, name: string) => nameOf(name) ?? texts.get(name) ?? '');
  return new Map([
    ['console.html', html],
    ...[...assets.values()].map(({ name, content }) => [name, content] as const),
  ]);
}

/** ` data-name="Acme"`, for each that is set. */
function dataAttributes(values: Readonly<Record<string, string | undefined>>): string {
  return Object.entries(values)
    .map(([name, value]) => (value === undefined ? '' : ` data-${name}="${escapeHtml(value)}"`))
    .join('');
}

async function compileConsole(root: string): Promise<readonly OutputFile[]> {
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
  return outputFiles;
}

/** The name contains a digest of the content, so that browsers may keep the file for ever. */
function named(file: string, content: string) {
  const digest = sha256(content).slice(0, 12);
  return { name: `console/assets/${file.replace(/(\.\w+)$/, `-${digest}$1`)}`, content };
}

function textOf(ending: string, files: readonly { readonly path: string; readonly text: string }[]): string {
  return files.find(({ path }) => path.endsWith(ending))?.text ?? '';
}
