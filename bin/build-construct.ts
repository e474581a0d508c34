import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { brandBundle, replacePages } from '../lib/build/branded-bundle.ts';
import { bundleFunctions, defaultBundleFolder, repositoryRoot as root } from '../lib/build/bundle.ts';
import {
  buildPackage,
  describePackage,
  packagesOfFunctions,
  writeDeclarations,
} from '../lib/build/published-package.ts';
import { readBrand } from '../lib/settings/brand.ts';
import { readSettings } from '../lib/settings/stage-settings.ts';
import manifest from '../package.json' with { type: 'json' };

/**
 * Builds the package for CDK apps: the construct as CommonJS, which apps of both kinds load, its declarations, and the
 * bundles of the functions, so that nothing is built where it is installed.
 */
const outDir = join(root, 'dist', 'construct');
const bundles = defaultBundleFolder(root);

await bundleFunctions();
const ofModule = await buildPackage('construct', {
  entryPoints: ['packages/construct/index.ts'],
  format: 'cjs',
  platform: 'node',
  target: 'node20',
  external: ['aws-cdk-lib', 'constructs'],
  define: { 'import.meta.dirname': '__dirname' },
});
await Promise.all([
  writeDeclarations('construct', ['packages/construct/index', 'lib/webhook-service', 'lib/settings/service-props']),
  cp(bundles, join(outDir, 'functions'), { recursive: true }),
]);
await writePages(process.argv[2]);
const published = {
  name: 'webhook-delivery-construct',
  version: manifest.version,
  description: 'A webhook delivery service as a construct of the AWS CDK.',
  license: manifest.license,
  type: 'commonjs',
  engines: { node: '>=20' },
  main: './index.js',
  types: './index.d.ts',
  peerDependencies: {
    'aws-cdk-lib': `^${manifest.devDependencies['aws-cdk-lib']}`,
    constructs: '^10.5.0',
  },
};
/** Of the documentation and the console. */
const ofPages = ['highlight.js', 'minisearch', 'openapi-fetch', 'preact'];
const contains = [...ofModule, ...ofPages, ...(await packagesOfFunctions())];
await describePackage({ folder: 'construct', manifest: published, contains });

/** @param stage has the brand of the pages; default: they have none */
async function writePages(stage: string | undefined): Promise<void> {
  if (stage === undefined) return;
  const folder = join(root, 'stages');
  const brand = readBrand(readSettings({ context: { stage }, shared: {}, folder }), folder);
  if (brand === undefined) throw new Error(`stages/${stage}.json has no brand; set brandName, for example`);
  await replacePages(join(outDir, 'functions'), await brandBundle(root, bundles, brand));
}
