import { ConfigError } from '../lib/config.ts';
import { synthesize } from '../lib/synthesize.ts';

try {
  await synthesize();
} catch (error) {
  // Where in the code a setting was refused helps nobody; anything else keeps its stack.
  if (!(error instanceof ConfigError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
