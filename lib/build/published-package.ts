import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { type BuildOptions, build } from 'esbuild';
import * as z from 'zod';
import { repositoryRoot as root } from './bundle.ts';

type Published = {
  /** Folder of the package below `packages`, and of what is built below `dist`. */
  readonly folder: string;
  readonly manifest: Readonly<Record<string, unknown>>;
  /** Names of the packages from which its code has parts. */
  readonly contains: Iterable<string>;
};

/**
 * Builds the code of a package into a folder of its own, which is emptied before.
 *
 * @returns the names of the packages from which the code has parts
 */
export async function buildPackage(folder: string, options: BuildOptions): Promise<ReadonlySet<string>> {
  const outdir = join(root, 'dist', folder);
  await rm(outdir, { recursive: true, force: true });
  const { metafile } = await build({
    ...options,
    absWorkingDir: root,
    outdir,
    bundle: true,
    // Names of this repository, not packages.
    alias: { '#shared': './shared' },
    metafile: true,
    legalComments: 'none',
    logLevel: 'error',
  });
  const read = Object.keys(metafile.inputs);
  return new Set(read.flatMap((path) => path.match(/node_modules\/((?:@[^/]+\/)?[^/]+)/)?.[1] ?? []));
}

/** Writes what a published package has beside its code: the manifest, its page, and the licenses of all that is in it. */
export async function describePackage({ folder, manifest, contains }: Published): Promise<void> {
  const outDir = join(root, 'dist', folder);
  await Promise.all([
    writeFile(join(outDir, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`),
    copyFile(join(root, 'packages', folder, 'README.md'), join(outDir, 'README.md')),
    copyFile(join(root, 'LICENSE'), join(outDir, 'LICENSE')),
    writeFile(join(outDir, 'THIRD-PARTY-LICENSES'), await licensesOf(contains)),
  ]);
}

/**
 * Writes the declarations that users of a package see, all in one folder.
 *
 * @param modules their paths below the root, without endings
 */
export async function writeDeclarations(folder: string, modules: readonly string[]): Promise<void> {
  const compiled = await mkdtemp(join(tmpdir(), `${folder}-`));
  try {
    const compiler = join(root, 'node_modules', '.bin', 'tsc');
    const project = join(root, 'packages', folder, 'tsconfig.json');
    await promisify(execFile)(compiler, ['-p', project, '--outDir', compiled], { cwd: root });
    for (const module of modules) {
      const text = await readFile(join(compiled, `${module}.d.ts`), 'utf8');
      const flat = text.replaceAll(/from '\.[./\w-]*\/([\w-]+)\.ts'/g, "from './$1.js'");
      await writeFile(join(root, 'dist', folder, `${basename(module)}.d.ts`), flat);
    }
  } finally {
    await rm(compiled, { recursive: true });
  }
}

const lock = z.object({ packages: z.record(z.string(), z.looseObject({})) });

/** Names of the installed packages that the functions may have parts of: all but those for development alone. */
export async function packagesOfFunctions(): Promise<readonly string[]> {
  const { packages } = lock.parse(JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8')));
  return Object.entries(packages).flatMap(([path, { dev, link, optional }]) => {
    const [, name] = path.match(/^node_modules\/(.*)$/) ?? [];
    return name === undefined || dev === true || link === true || optional === true ? [] : [name];
  });
}

const installed = z.object({ version: z.string(), license: z.string() });

/** Each text once, below the packages that have it; first those that only name their license. */
async function licensesOf(packages: Iterable<string>): Promise<string> {
  const names = [...new Set(packages)].toSorted();
  const texts = Map.groupBy(await Promise.all(names.map(licenseOf)), ({ text }) => text);
  const sections = [...texts].toSorted().map(([text, members]) => [...members.map(({ head }) => head), '', text]);
  return `${sections.map((lines) => lines.join('\n').trim()).join(`\n\n${'-'.repeat(80)}\n\n`)}\n`;
}

async function licenseOf(name: string): Promise<{ readonly head: string; readonly text: string }> {
  const folder = join(root, 'node_modules', name);
  const { version, license } = installed.parse(JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')));
  const files = (await readdir(folder)).filter((file) => /^(licen[cs]e|notice)/i.test(file));
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')));
  return { head: `${name} ${version}: ${license}`, text: texts.join('\n') };
}
