import { join } from 'node:path';
import { type Addresses, writeAssembly } from './assembly-cache.ts';
import { bundleFunctions, repositoryRoot } from './bundle.ts';

export type LocalAssemblyRequest = {
  /** Folder for templates and assets; must be empty. */
  readonly outDir: string;
  /** Settings of the stage, as on the command line. */
  readonly context: Readonly<Record<string, string>>;
};

/** Settings whose values are addresses of a running stack, with a port that differs in each run. */
const addressSettings: ReadonlySet<string> = new Set(['baseUrl', 'tokenIssuer', 'tokenAudience']);

/** All that the templates are made of. The bundles stand for the sources of the functions. */
const inputs = [
  'bin/local-app.ts',
  'lib',
  'shared',
  'stages',
  'cdk.json',
  'package.json',
  'package-lock.json',
  'dist/functions',
];

/**
 * Writes the cloud assembly of a stage for the local stack, from the current sources. While they are unchanged, neither
 * bundles nor synthesizes, and does not load the CDK.
 *
 * @throws ConfigError when a setting is wrong
 */
export async function writeLocalAssembly(
  request: LocalAssemblyRequest,
): Promise<'synthesized' | 'unchanged'> {
  await bundleFunctions();
  return await writeAssembly({
    root: repositoryRoot,
    cacheDir: join(repositoryRoot, 'dist', 'assemblies'),
    inputs,
    settings: select(request.context, (name) => !addressSettings.has(name)),
    addresses: select(request.context, (name) => addressSettings.has(name)),
    outDir: request.outDir,
    synthesize: async (context, outDir) => {
      // Takes a second to load.
      const { synthesize } = await import('./synthesize.ts');
      await synthesize({ context, outDir });
    },
  });
}

function select(context: LocalAssemblyRequest['context'], isWanted: (name: string) => boolean): Addresses {
  return Object.fromEntries(Object.entries(context).filter(([name]) => isWanted(name)));
}
