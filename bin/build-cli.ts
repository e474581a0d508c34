import { buildPackage, describePackage } from '../lib/build/published-package.ts';
import manifest from '../package.json' with { type: 'json' };
import cli from '../packages/cli/package.json' with { type: 'json' };

/** Builds the package for customers: `listen` and `verify` in one file, without dependencies. */
const contains = await buildPackage('cli', {
  entryPoints: { 'webhook-delivery': 'tools/webhook-delivery/package-main.ts' },
  outExtension: { '.js': '.mjs' },
  minify: true,
  format: 'esm',
  platform: 'node',
  target: 'node22',
  banner: {
    // Commander is CommonJS.
    js: "#!/usr/bin/env node\nimport{createRequire}from'node:module';const require=createRequire(import.meta.url);",
  },
});
const { name, description, license } = cli;
const published = {
  ...{ name, version: manifest.version, description, license },
  type: 'module',
  engines: { node: '>=22.12' },
  bin: { 'webhook-delivery': 'webhook-delivery.mjs' },
};
await describePackage({ folder: 'cli', manifest: published, contains });
