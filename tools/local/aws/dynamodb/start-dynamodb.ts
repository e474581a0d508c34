import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { findEmulator } from './emulator-binary.ts';
import { type GuardedProcess, startGuarded } from './guarded-process.ts';
import { type Address, findHiddenAddress } from './hidden-address.ts';

const startTimeoutMs = 10_000;
const startAttempts = 3;

/**
 * One thread serves all requests. Writes are serial in any case, and more threads wait for each other's allocations:
 * two threads take up to twice the CPU time for each write.
 */
const env = { TOKIO_WORKER_THREADS: '1' };

/** The emulator writes this once it listens. A response at its port proves less: another program may have sent it. */
const upText = 'listening on';

export type DynamodbOptions = {
  /** Address to listen on. Default: an address that no web page can reach, because the emulator answers every page. */
  readonly address?: Address;
  /** Folder that keeps the tables after the process ends. Default: in memory. */
  readonly dataDir?: string | undefined;
  /** Address of a running emulator to use instead of starting one. Default: `DYNAMODB_ENDPOINT` of the environment. */
  readonly endpoint?: string;
  /** Called with the last output of an emulator that ended unexpectedly. */
  readonly onUnexpectedEnd?: (output: string) => void;
};

export type RunningDynamodb = AsyncDisposable & {
  readonly url: string;
  /** Process id of the emulator; `null` when it was already running. */
  readonly pid: number | null;
};

/** A running emulator, or the path of its program. */
type Source = { readonly endpoint: string } | { readonly binary: string };

/**
 * Finds a DynamoDB emulator without starting anything.
 *
 * @param endpoint Default: `DYNAMODB_ENDPOINT` of the environment.
 * @throws Error when nothing answers at the endpoint, or when no endpoint is set and no emulator is installed
 */
export async function findDynamodb(endpoint = process.env.DYNAMODB_ENDPOINT): Promise<Source> {
  if (endpoint === undefined || endpoint === '') return { binary: findEmulator() };
  const url = endpoint.replace(/\/+$/, '');
  if (await isUp(url)) return { endpoint: url };
  throw new Error(
    `No DynamoDB answers at ${url}, which DYNAMODB_ENDPOINT names: start it, or unset the variable`,
  );
}

/**
 * Starts the DynamoDB emulator, or uses the one at `endpoint`. A started emulator ends with this process, even if this
 * process is killed.
 *
 * @throws Error when the port is in use, the emulator does not start, or none is installed for this machine
 */
export async function startDynamodb(options: DynamodbOptions = {}): Promise<RunningDynamodb> {
  const source = await findDynamodb(options.endpoint);
  if ('endpoint' in source) return { url: source.endpoint, pid: null, [Symbol.asyncDispose]: async () => {} };
  const data = options.dataDir === undefined ? [] : ['--db-path', await prepareDataFile(options.dataDir)];
  for (let attempt = 1; ; attempt += 1) {
    const { host, port } = options.address ?? (await findHiddenAddress());
    const child = startGuarded(source.binary, ['--host', host, '--port', String(port), ...data], env);
    try {
      return await whenUp(child, `http://${host}:${port}`, options.onUnexpectedEnd);
    } catch (error) {
      await child.close();
      // Another program can take a free port before the emulator binds it.
      if (options.address !== undefined || attempt === startAttempts) throw error;
    }
  }
}

async function prepareDataFile(dataDir: string): Promise<string> {
  await mkdir(dataDir, { recursive: true });
  return join(dataDir, 'dynamodb.sqlite');
}

async function whenUp(
  child: GuardedProcess,
  url: string,
  onUnexpectedEnd: DynamodbOptions['onUnexpectedEnd'],
): Promise<RunningDynamodb> {
  await child.wrote(upText, startTimeoutMs).catch((error: Error) => {
    throw new Error(`The DynamoDB emulator did not start: ${error.message}`, { cause: error });
  });
  let closing = false;
  void child.ended.then((text) => {
    if (!closing) onUnexpectedEnd?.(text);
  });
  return {
    url,
    pid: await child.pid,
    [Symbol.asyncDispose]: () => {
      closing = true;
      return child.close();
    },
  };
}

/**
 * Accepts any response: emulators differ in how they answer a bare GET. Does not use `fetch`, which refuses the same
 * ports as browsers.
 */
async function isUp(url: string): Promise<boolean> {
  const probe = request(url, { agent: false, signal: AbortSignal.timeout(2000) }).end();
  try {
    await once(probe, 'response');
    return true;
  } catch {
    return false;
  } finally {
    probe.destroy();
  }
}
