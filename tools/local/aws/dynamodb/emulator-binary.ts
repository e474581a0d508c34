import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const require = createRequire(import.meta.url);

/**
 * Path of the emulator for this machine.
 *
 * @param resolve finds a file of an installed package; the default searches from this program
 * @throws Error that names the variable to set or the package to install, when none is installed
 */
export function findEmulator(
  platform: string = process.platform,
  arch: string = process.arch,
  resolve: (specifier: string) => string = require.resolve,
): string {
  const packageName = `@dynoxide/${platform}-${arch}`;
  try {
    return join(dirname(resolve(`${packageName}/package.json`)), 'dynoxide');
  } catch (error) {
    throw new Error(
      `No DynamoDB emulator is installed for ${platform} on ${arch}: set DYNAMODB_ENDPOINT to the address of a ` +
        `running one, for example http://127.0.0.1:8000, or install the package ${packageName}`,
      { cause: error },
    );
  }
}
