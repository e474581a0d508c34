import { copyFile, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import { repositoryRoot as root } from '../lib/build/bundle.ts';
import { describePackage, packagesIn, writeDeclarations } from '../lib/build/published-package.ts';
import manifest from '../package.json' with { type: 'json' };

/**
 * Builds the package for producers, without dependencies: Node.js strips no types from files below `node_modules`, so a
 * package has to contain JavaScript and declarations.
 */
const outDir = join(root, 'dist', 'producer');

await rm(outDir, { recursive: true, force: true });
await mkdir(outDir, { recursive: true });
const [contains] = await Promise.all([
  writeModule(),
  writeDeclarations('producer', [
    'packages/producer/intake',
    'packages/producer/messages',
    'packages/producer/operator',
  ]),
]);
const { name, version, license } = manifest;
const published = {
  ...{ name, version, license },
  description: 'Sends messages to the intake of the service, and manages customers and keys.',
  type: 'module',
  engines: { node: '>=20' },
  exports: {
    './intake': { types: './intake.d.ts', default: './intake.js' },
    './operator': { types: './operator.d.ts', default: './operator.js' },
    './intake.schema.json': './intake.schema.json',
  },
};
await describePackage({ folder: 'producer', manifest: published, contains });
await copyFile(join(root, 'docs', 'intake.schema.json'), join(outDir, 'intake.schema.json'));

/** @returns the packages from which the module has parts */
async function writeModule(): Promise<Iterable<string>> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: ['packages/producer/intake.ts', 'packages/producer/operator.ts'],
    outdir: outDir,
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    target: 'es2022',
    // A name of this repository, not a package.
    alias: { '#shared': './shared' },
    metafile: true,
    logLevel: 'error',
  });
  return packagesIn(metafile);
}
