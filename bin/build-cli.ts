import { copyFile, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import manifest from '../package.json' with { type: 'json' };
import cli from '../packages/cli/package.json' with { type: 'json' };

/** Builds the package for customers: `listen` and `verify` in one file, without dependencies. */
const root = fileURLToPath(new URL('..', import.meta.url));
const outDir = join(root, 'dist', 'cli');

await rm(outDir, { recursive: true, force: true });
await mkdir(outDir, { recursive: true });
await build({
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
  legalComments: 'eof',
  logLevel: 'error',
});
const { name, description, license } = cli;
const published = {
  ...{ name, version: manifest.version, description, license },
  type: 'module',
  engines: { node: '>=22.12' },
  bin: { 'webhook-delivery': 'webhook-delivery.mjs' },
};
await writeFile(join(outDir, 'package.json'), `${JSON.stringify(published, null, 2)}\n`);
await copyFile(join(root, 'packages', 'cli', 'README.md'), join(outDir, 'README.md'));
await copyFile(join(root, 'LICENSE'), join(outDir, 'LICENSE'));
