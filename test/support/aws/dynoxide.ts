import { randomInt } from 'node:crypto';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { RunningService } from '../../../tools/local/aws/aws-api.ts';
import { loopbackHost } from '../../../tools/local/servers/loopback-server.ts';
import { startGuarded } from '../programs/guarded-process.ts';

const startTimeoutMs = 10_000;
const startAttempts = 10;

/** One thread: more of them wait for each other's allocations. */
const env = { TOKIO_WORKER_THREADS: '1' };

/**
 * Path of the program for this machine; `undefined` where npm installed none.
 *
 * Dynoxide is an implementation of DynamoDB by others. The tests of the table run on it too, so that the DynamoDB of
 * the local stack is compared with something that does not share its errors.
 */
export function findDynoxide(): string | undefined {
  try {
    const packageFile = createRequire(import.meta.url).resolve(
      `@dynoxide/${process.platform}-${process.arch}/package.json`,
    );
    return join(dirname(packageFile), 'dynoxide');
  } catch {
    return undefined;
  }
}

/** Why Dynoxide cannot be started here; `null` when it can. */
export function missingDynoxide(): string | null {
  return findDynoxide() === undefined ? `npm has no Dynoxide for ${process.platform} on ${process.arch}` : null;
}

/** Starts Dynoxide with tables in memory, until it is disposed of or this process ends. */
export async function startDynoxide(): Promise<RunningService> {
  const command = findDynoxide();
  if (command === undefined) throw new Error(`Dynoxide has no package for ${process.platform} ${process.arch}`);
  for (let attempt = 1; ; attempt += 1) {
    const port = randomInt(20_000, 32_000);
    const args = ['--host', loopbackHost, '--port', String(port)];
    try {
      const guarded = await startGuarded({ command, args, env, upText: 'listening on', startTimeoutMs });
      return { url: `http://${loopbackHost}:${port}`, [Symbol.asyncDispose]: guarded[Symbol.asyncDispose] };
    } catch (error) {
      if (attempt === startAttempts || !String(error).includes('in use')) throw error;
    }
  }
}
