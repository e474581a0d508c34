import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build, type OutputFile, type Plugin } from 'esbuild';
import * as z from 'zod';
import { bundledFolders, filesFunctionFolder } from '#shared/contract/functions.ts';
import { digestOf } from './digest.ts';
import { type FileSource, publishedFiles } from './published-files.ts';

export type BundleOptions = {
  /** Folder that holds `functions/`. Default: this repository. */
  readonly root?: string;
  /** Default: `dist/functions` below the root. */
  readonly outDir?: string;
  /** The files that the function of published files serves. Default: the documentation and the console of this repository. */
  readonly files?: FileSource;
};

export const repositoryRoot = fileURLToPath(new URL('../..', import.meta.url));

/** Default bundle folder of a root folder. */
export function defaultBundleFolder(root: string): string {
  return join(root, 'dist', 'functions');
}

/**
 * Builds `<outDir>/<folder>/index.mjs` for every function in one esbuild run, adds the published files to their
 * function, and removes all other files. The output is deterministic, so unchanged functions are not redeployed.
 * Nothing is built while every source, the installed packages and every output are as the last build left them, which
 * it records in `<outDir>.digest`.
 *
 * @returns whether anything had to be built
 * @throws when a handler is missing or does not compile, or when a bundle cannot be loaded as a module
 */
export async function bundleFunctions(options: BundleOptions = {}): Promise<'built' | 'unchanged'> {
  const root = options.root ?? repositoryRoot;
  const outDir = options.outDir ?? defaultBundleFolder(root);
  const files = options.files ?? publishedFiles;
  const recordFile = `${outDir}.digest`;
  assertHandlersExist(root);
  const digestInputs = () => digestOf(root, [...inputs, ...files.sources]);
  const before = digestInputs();
  const recorded = await readFile(recordFile, 'utf8').catch(() => undefined);
  if (recorded === `${before} ${digestOf(outDir, ['.'])}`) return 'unchanged';
  const [bundles, published] = await Promise.all([compile(root, outDir), files.build(root)]);
  for (const bundle of bundles) assertLoadable(bundle, outDir);
  const folder = join(outDir, filesFunctionFolder, 'files');
  const written: readonly Output[] = [
    ...bundles,
    ...[...published].map(([name, text]) => ({ path: join(folder, name), contents: Buffer.from(text) })),
  ];
  // One after the other: a process may open as few as 256 files.
  for (const output of written) await replaceIfChanged(output, outDir);
  await removeStale(outDir, new Set(written.map(({ path }) => path)));
  // A file that changed meanwhile may be in the bundles or not.
  if (digestInputs() === before) {
    await writeFile(recordFile, `${before} ${digestOf(outDir, ['.'])}`);
  }
  return 'built';
}

/** What the bundles are made of, but for the published files. Only handlers and what they may import are bundled. */
const inputs = [
  import.meta.filename,
  'functions',
  'shared',
  'package.json',
  'package-lock.json',
  // npm writes it with every change of the installed packages.
  'node_modules/.package-lock.json',
];

function assertHandlersExist(root: string): void {
  const missing = bundledFolders.filter((folder) => !existsSync(handlerPath(root, folder)));
  if (missing.length > 0) throw new Error(`Cannot bundle ${missing.join(', ')}: handler.ts is missing`);
}

function handlerPath(root: string, folder: string): string {
  return join(root, 'functions', folder, 'handler.ts');
}

/**
 * Loads the modules of Node.js without an import statement, which would read all of their exports: of `node:http`, that
 * loads a second HTTP client.
 */
const lazyModules: Plugin = {
  name: 'lazy-modules',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^node:/ }, ({ path }) => ({ path, namespace: 'lazy', sideEffects: false }));
    onLoad({ filter: /^/, namespace: 'lazy' }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule('${path}')`,
    }));
  },
};

/**
 * Clients of the AWS SDK import their own `package.json` for its version, and that of DynamoDB has a cache for endpoint
 * discovery, which none of its commands uses.
 */
const unusedParts: Plugin = {
  name: 'unused-parts',
  setup: ({ onLoad }) => {
    onLoad({ filter: /@aws-sdk\/endpoint-cache\/.*\.js$/ }, () => ({
      contents: 'export class EndpointCache {}',
    }));
    onLoad({ filter: /@aws-sdk\/[\w-]+\/package\.json$/ }, async ({ path }) => {
      const { version } = manifest.parse(JSON.parse(await readFile(path, 'utf8')));
      return { contents: JSON.stringify({ version }), loader: 'json' };
    });
  },
};
const manifest = z.object({ version: z.string() });

const bundling = {
  // What functions leave out of the AWS SDK: docs/decisions/0015-trimmed-aws-sdk.md.
  alias: {
    '@aws-sdk/credential-provider-node': join(repositoryRoot, 'shared/aws/environment-credentials.ts'),
  },
  // Loaded by operations with streams of events only, of which the functions call none.
  external: ['@smithy/core/event-streams'],
  plugins: [lazyModules, unusedParts],
  outExtension: { '.js': '.mjs' },
  write: false,
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node24',
  mainFields: ['module', 'main'],
  minify: true,
  legalComments: 'none',
  logLevel: 'error',
} satisfies BuildOptions;

async function compile(root: string, outDir: string): Promise<readonly OutputFile[]> {
  const { outputFiles } = await build({
    ...bundling,
    absWorkingDir: root,
    entryPoints: bundledFolders.map((folder) => ({
      in: handlerPath(root, folder),
      out: join(folder, 'index'),
    })),
    outdir: outDir,
  });
  return outputFiles;
}

/** esbuild replaces a CommonJS dependency's `require` with a call that throws when the module loads. */
function assertLoadable(bundle: OutputFile, outDir: string): void {
  if (!bundle.text.includes('Dynamic require of')) return;
  throw new Error(
    `Cannot bundle ${relative(outDir, dirname(bundle.path))}: a CommonJS dependency calls require(), ` +
      'which an ES module does not have; use the ES module build of that dependency',
  );
}

type Output = { readonly path: string; readonly contents: Uint8Array };

/** Writes a draft and renames it, so that another process never reads a partial file. */
async function replaceIfChanged({ path, contents }: Output, outDir: string): Promise<void> {
  const present = await readFile(path).catch(() => undefined);
  if (present?.equals(contents) === true) return;
  await mkdir(dirname(path), { recursive: true });
  const draft = join(outDir, `.${process.pid}-${relative(outDir, path).replaceAll('/', '-')}`);
  await writeFile(draft, contents);
  await rename(draft, path);
}

async function removeStale(outDir: string, expected: ReadonlySet<string>): Promise<void> {
  const entries = await readdir(outDir, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => !entry.isDirectory() && !entry.name.startsWith('.'));
  const stale = files.map((file) => join(file.parentPath, file.name)).filter((path) => !expected.has(path));
  await Promise.all(stale.map((path) => rm(path, { force: true })));
}
