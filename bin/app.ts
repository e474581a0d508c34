import { synthesize } from '../lib/build/synthesize.ts';
import { ConfigError } from '../lib/settings/config.ts';

try {
  await synthesize();
} catch (error) {
  // A wrong setting needs no stack trace; any other error keeps it.
  if (!(error instanceof ConfigError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
