import { z } from 'zod';
import { writeLocalAssembly } from '../lib/build/local-assembly.ts';

const requestSchema = z.object({ outDir: z.string(), context: z.record(z.string(), z.string()) });

try {
  await writeLocalAssembly(requestSchema.parse(JSON.parse(process.argv[2] ?? '')));
} catch (error) {
  // A wrong setting needs no stack trace; any other error keeps it.
  if (!(error instanceof Error) || error.name !== 'ConfigError') throw error;
  console.error(error.message);
  process.exitCode = 1;
}
