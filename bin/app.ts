import { ConfigError } from '../lib/config.ts';
import { synthesize } from '../lib/synthesize.ts';

try {
  await synthesize();
} catch (error) {
  // A wrong setting needs no stack trace; any other error keeps it.
  if (!(error instanceof ConfigError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
