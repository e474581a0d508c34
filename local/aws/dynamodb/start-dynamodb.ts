import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { findEmulator } from './emulator-binary.ts';
import { type GuardedProcess, startGuarded } from './guarded-process.ts';
import { findHiddenPlace, type Place } from './hidden-place.ts';

const startPatienceMs = 10_000;
const placeAttempts = 3;

/** What the emulator says once it listens. That something answers at its port says less: it may be another program. */
const upText = 'listening on';

export type DynamodbOptions = {
  /** Where it listens. Default: where no web page reaches it, because it answers every page that does. */
  readonly place?: Place;
  /** Folder in which the tables outlive the process; without it they are in memory. */
  readonly dataDir?: string;
  /** An emulator that runs already; nothing is started then. Default: `DYNAMODB_ENDPOINT` of the environment. */
  readonly endpoint?: string;
  /** Told when the emulator ended although nobody closed it, with what it said last. */
  readonly onUnexpectedEnd?: (lastWords: string) => void;
};

export type RunningDynamodb = {
  readonly url: string;
  /** Process id of the emulator; `null` for one that was running already. */
  readonly pid: number | null;
  close(): Promise<void>;
};

/** An emulator that runs already, or the program of one. */
type Source = { readonly endpoint: string } | { readonly binary: string };

/**
 * Finds what there is to use as DynamoDB, before anything is started.
 *
 * @param endpoint Default: `DYNAMODB_ENDPOINT` of the environment.
 * @throws Error when nothing answers at the endpoint, or there is none and no emulator for this machine.
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
 * Starts the DynamoDB emulator, or uses the one named by an endpoint. What is started ends with this process,
 * however that ends.
 *
 * @throws Error when the port is in use, the emulator does not come up, or there is none for this machine.
 */
export async function startDynamodb(options: DynamodbOptions = {}): Promise<RunningDynamodb> {
  const source = await findDynamodb(options.endpoint);
  if ('endpoint' in source) return { url: source.endpoint, pid: null, close: async () => {} };
  const data = options.dataDir === undefined ? [] : ['--db-path', await prepareDataFile(options.dataDir)];
  for (let attempt = 1; ; attempt += 1) {
    const { host, port } = options.place ?? (await findHiddenPlace());
    const child = startGuarded(source.binary, ['--host', host, '--port', String(port), ...data]);
    try {
      return await whenUp(child, `http://${host}:${port}`, options.onUnexpectedEnd);
    } catch (error) {
      await child.close();
      // A free port can be taken by another program before the emulator binds it.
      if (options.place !== undefined || attempt === placeAttempts) throw error;
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
  await child.said(upText, startPatienceMs).catch((error: Error) => {
    throw new Error(`The DynamoDB emulator did not start: ${error.message}`, { cause: error });
  });
  let closing = false;
  void child.ended.then((text) => {
    if (!closing) onUnexpectedEnd?.(text);
  });
  const close = (): Promise<void> => {
    closing = true;
    return child.close();
  };
  return { url, pid: await child.pid, close };
}

/**
 * Any answer will do: emulators differ in what they say to a bare GET. Not asked with `fetch`, which does not connect
 * to the ports of emulators that hide from browsers.
 */
async function isUp(url: string): Promise<boolean> {
  const asking = request(url, { agent: false, signal: AbortSignal.timeout(2000) }).end();
  try {
    await once(asking, 'response');
    return true;
  } catch {
    return false;
  } finally {
    asking.destroy();
  }
}
