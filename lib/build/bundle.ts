import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build, type OutputFile, type Plugin, version } from 'esbuild';
import { bundledFolders, filesFunctionFolder } from '#shared/contract/functions.ts';
import type { FileSource } from '../settings/file-source.ts';
import { hashFile, recordedOutputs, writeRecord } from './bundle-record.ts';
import { listFiles, publishedFiles } from './published-files.ts';

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
 * Nothing is built while every source, package and output is as the last build recorded it in `<outDir>.json`.
 *
 * @returns whether anything had to be built
 * @throws when a handler is missing or does not compile, or when a bundle cannot be loaded as a module
 */
export async function bundleFunctions(options: BundleOptions = {}): Promise<'built' | 'unchanged'> {
  const root = options.root ?? repositoryRoot;
  const outDir = options.outDir ?? defaultBundleFolder(root);
  const files = options.files ?? publishedFiles;
  const recordFile = `${outDir}.json`;
  assertHandlersExist(root);
  const sources = await listFiles(root, files.sources);
  const settings = await settingsOf(root, sources);
  const recorded = await recordedOutputs(root, recordFile, settings);
  if (recorded !== undefined) {
    await removeStale(outDir, new Set(recorded));
    return 'unchanged';
  }
  const since = Date.now();
  const [{ bundles, inputs }, published] = await Promise.all([compile(root, outDir), files.build(root)]);
  for (const bundle of bundles) assertLoadable(bundle, outDir);
  const folder = join(outDir, filesFunctionFolder, 'files');
  const written: readonly Output[] = [
    ...bundles,
    ...[...published].map(([name, text]) => ({ path: join(folder, name), contents: Buffer.from(text) })),
  ];
  await Promise.all(written.map((output) => replaceIfChanged(output, outDir)));
  const outputs = written.map(({ path }) => path);
  await writeRecord(root, recordFile, { settings, inputs: [...inputs, ...sources], outputs }, since);
  await removeStale(outDir, new Set(outputs));
  return 'built';
}

/** A digest of the inputs that are not among the bundled files. */
async function settingsOf(root: string, sources: readonly string[]): Promise<string> {
  const files = await Promise.all(
    [join(root, 'package.json'), join(root, 'package-lock.json'), import.meta.filename].map(hashFile),
  );
  // A page that is added is in no record of an earlier build.
  const names = sources.map((source) => relative(root, source));
  return [version, JSON.stringify(bundling), ...files, ...names].join(' ');
}

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

/** What functions leave out of the AWS SDK: docs/decisions/0015-trimmed-aws-sdk.md. */
const trimmedSdk = {
  alias: {
    '@aws-sdk/credential-provider-node': join(repositoryRoot, 'shared/aws/environment-credentials.ts'),
  },
  // Loaded by operations with streams of events only, of which the functions call none.
  external: ['@smithy/core/event-streams'],
} as const satisfies BuildOptions;

const bundling = {
  outExtension: { '.js': '.mjs' },
  write: false,
  metafile: true,
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node24',
  mainFields: ['module', 'main'],
  minify: true,
  legalComments: 'none',
  logLevel: 'error',
} as const satisfies BuildOptions;

type Compiled = { readonly bundles: readonly OutputFile[]; readonly inputs: readonly string[] };

async function compile(root: string, outDir: string): Promise<Compiled> {
  const { outputFiles, metafile } = await build({
    ...bundling,
    ...trimmedSdk,
    external: [...trimmedSdk.external],
    mainFields: [...bundling.mainFields],
    plugins: [lazyModules],
    absWorkingDir: root,
    entryPoints: bundledFolders.map((folder) => ({
      in: handlerPath(root, folder),
      out: join(folder, 'index'),
    })),
    outdir: outDir,
  });
  const inputs = Object.keys(metafile.inputs).filter((path) => !path.startsWith('lazy:'));
  return { bundles: outputFiles, inputs: inputs.map((path) => join(root, path)) };
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
