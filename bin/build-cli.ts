import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import { repositoryRoot as root } from '../lib/build/bundle.ts';
import { describePackage, packagesIn } from '../lib/build/published-package.ts';
import manifest from '../package.json' with { type: 'json' };
import cli from '../packages/cli/package.json' with { type: 'json' };

/** Builds the package for customers: `listen` and `verify` in one file, without dependencies. */
const outDir = join(root, 'dist', 'cli');

await rm(outDir, { recursive: true, force: true });
await mkdir(outDir, { recursive: true });
const { metafile } = await build({
  absWorkingDir: root,
  entryPoints: { 'webhook-delivery': 'tools/webhook-delivery/package-main.ts' },
  outdir: outDir,
  outExtension: { '.js': '.mjs' },
  bundle: true,
  minify: true,
  format: 'esm',
  platform: 'node',
  target: 'node22',
  // Names of this repository, not packages.
  alias: { '#shared': './shared' },
  banner: {
    // Commander is CommonJS.
    js: "#!/usr/bin/env node\nimport{createRequire}from'node:module';const require=createRequire(import.meta.url);",
  },
  metafile: true,
  legalComments: 'none',
  logLevel: 'error',
});
const { name, description, license } = cli;
const published = {
  ...{ name, version: manifest.version, description, license },
  type: 'module',
  engines: { node: '>=22.12' },
  bin: { 'webhook-delivery': 'webhook-delivery.mjs' },
};
await describePackage({ folder: 'cli', manifest: published, contains: packagesIn(metafile) });
