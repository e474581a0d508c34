import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import { type Brand, brandStyle } from '../../site/brand.ts';
import { forBrowsers, namedFile } from '../../site/browser-files.ts';
import { escapeHtml } from '../../site/html.ts';

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
  const { name, favicon, logo, logoDark, supportLink } = brand;
  const code = await compileConsole(root);
  const files = {
    icon: named('icon.svg', favicon ?? (await readFile(join(root, 'site/assets/favicon.svg'), 'utf8'))),
    style: named('console.css', code.style + brandStyle(brand)),
    script: named('console.js', code.script),
    ...(logo !== undefined && { logo: named('logo.svg', logo) }),
    ...(logoDark !== undefined && { logoDark: named('logo-dark.svg', logoDark) }),
  };
  const attributes = { name, support: supportLink, logo: files.logo?.name, 'logo-dark': files.logoDark?.name };
  const texts: Readonly<Record<string, string>> = {
    title: escapeHtml(name ?? 'Webhooks'),
    brand: dataAttributes(attributes),
    icon: files.icon.name,
    style: files.style.name,
    script: files.script.name,
  };
  const page = await readFile(join(root, 'console', 'index.html'), 'utf8');
  return new Map([
    ['console.html', page.replace(/%(\w+)%/g, (_, place: string) => texts[place] ?? '')],
    ...Object.values(files).map(({ name, content }) => [name, content] as const),
  ]);
}

const named = (file: string, content: string) => namedFile(`console/assets/${file}`, content);

/** ` data-name="Acme"`, for each that is set. */
function dataAttributes(values: Readonly<Record<string, string | undefined>>): string {
  return Object.entries(values)
    .map(([name, value]) => (value === undefined ? '' : ` data-${name}="${escapeHtml(value)}"`))
    .join('');
}

async function compileConsole(root: string) {
  const { outputFiles } = await build({
    ...forBrowsers,
    absWorkingDir: root,
    entryPoints: ['console/main.tsx'],
    outdir: 'console',
    tsconfig: 'console/tsconfig.json',
    format: 'iife',
  });
  const textOf = (ending: string) => outputFiles.find(({ path }) => path.endsWith(ending))?.text ?? '';
  return { style: textOf('.css'), script: textOf('.js') };
}
