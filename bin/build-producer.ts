import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { repositoryRoot as root } from '../lib/build/bundle.ts';
import { buildPackage, describePackage, writeDeclarations } from '../lib/build/published-package.ts';
import manifest from '../package.json' with { type: 'json' };

/**
 * Builds the package for producers, without dependencies: Node.js strips no types from files below `node_modules`, so a
 * package has to contain JavaScript and declarations.
 */
const contains = await buildPackage('producer', {
  entryPoints: ['packages/producer/intake.ts', 'packages/producer/operator.ts'],
  format: 'esm',
  platform: 'neutral',
  target: 'es2022',
});
await writeDeclarations('producer', [
  'packages/producer/intake',
  'packages/producer/messages',
  'packages/producer/operator',
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
await copyFile(join(root, 'docs', 'intake.schema.json'), join(root, 'dist', 'producer', 'intake.schema.json'));
