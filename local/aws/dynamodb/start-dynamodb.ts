import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { findEmulator } from './emulator-binary.ts';
import { type GuardedProcess, startGuarded } from './guarded-process.ts';
import { type Address, findHiddenAddress } from './hidden-address.ts';

const startPatienceMs = 10_000;
const startAttempts = 3;

/** The emulator writes it once it listens. An answer at its port proves less: it may come from another program. */
const upText = 'listening on';

export type DynamodbOptions = {
  /** Where it listens. Default: an address that no web page reaches, because it answers every page that does. */
  readonly address?: Address;
  /** Folder in which the tables outlive the process; without it they are in memory. */
  readonly dataDir?: string | undefined;
  /** An emulator that runs already; nothing is started then. Default: `DYNAMODB_ENDPOINT` of the environment. */
  readonly endpoint?: string;
  /** Called with the last output of an emulator that ended by itself. */
  readonly onUnexpectedEnd?: (output: string) => void;
};

export type RunningDynamodb = AsyncDisposable & {
  readonly url: string;
  /** Process id of the emulator; `null` for one that was running already. */
  readonly pid: number | null;
};

/** An emulator that runs already, or the program of one. */
type Source = { readonly endpoint: string } | { readonly binary: string };

/**
 * Finds a DynamoDB emulator, before anything is started.
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
 * Starts the DynamoDB emulator, or uses the one named by an endpoint. An emulator that it starts ends with this
 * process, also when this process is killed.
 *
 * @throws Error when the port is in use, the emulator does not start, or none is installed for this machine
 */
export async function startDynamodb(options: DynamodbOptions = {}): Promise<RunningDynamodb> {
  const source = await findDynamodb(options.endpoint);
  if ('endpoint' in source) return { url: source.endpoint, pid: null, [Symbol.asyncDispose]: async () => {} };
  const data = options.dataDir === undefined ? [] : ['--db-path', await prepareDataFile(options.dataDir)];
  for (let attempt = 1; ; attempt += 1) {
    const { host, port } = options.address ?? (await findHiddenAddress());
    const child = startGuarded(source.binary, ['--host', host, '--port', String(port), ...data]);
    try {
      return await whenUp(child, `http://${host}:${port}`, options.onUnexpectedEnd);
    } catch (error) {
      await child.close();
      // A free port can be taken by another program before the emulator binds it.
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
  await child.wrote(upText, startPatienceMs).catch((error: Error) => {
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
 * Every answer counts: emulators differ in how they answer a bare GET. Without `fetch`, which connects to none of the
 * ports to which browsers do not connect.
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
