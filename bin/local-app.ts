import { z } from 'zod';
import { writeAssembly } from '../lib/build/assembly-cache.ts';
import { bundleFunctions, repositoryRoot } from '../lib/build/bundle.ts';

const requestSchema = z.object({ outDir: z.string(), context: z.record(z.string(), z.string()) });

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
  // What a brand is made of beside them.
  'site',
];

/**
 * Writes the cloud assembly of a stage for the local stack, from the current sources. While they are unchanged, neither
 * bundles nor synthesizes, and does not load the CDK.
 */
async function writeLocalAssembly({ outDir, context }: z.infer<typeof requestSchema>): Promise<void> {
  await bundleFunctions();
  await writeAssembly({
    root: repositoryRoot,
    inputs,
    context,
    outDir,
    synthesize: async (settings, folder) => {
      // Takes a second to load.
      const { synthesize } = await import('../lib/build/synthesize.ts');
      await synthesize({ context: settings, outDir: folder });
    },
  });
}

try {
  await writeLocalAssembly(requestSchema.parse(JSON.parse(process.argv[2] ?? '')));
} catch (error) {
  // A wrong setting and a disk that is full or read-only need no stack trace; any other error keeps it.
  if (!(error instanceof Error) || (error.name !== 'ConfigError' && !('syscall' in error))) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
