import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { request } from 'node:http';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { loopbackHost } from '../../servers/loopback-server.ts';
import type { RunningService } from '../aws-api.ts';
import { startGuarded } from './guarded-process.ts';

const startTimeoutMs = 10_000;
const startAttempts = 10;

/** A program that listens responds at once, but a busy or slow machine may take seconds to see it. */
const probeTimeoutMs = 10_000;

/** That of the package in package.json. The packages for other platforms are released together with it. */
const emulatorVersion = '1.2.1';

/**
 * Ports that browsers refuse to connect to: the unprivileged ports of the Fetch standard's list of bad ports.
 * https://fetch.spec.whatwg.org/#port-blocking
 */
export const blockedPorts: readonly number[] = [
  1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697,
  10_080,
];

/**
 * One thread serves all requests. Writes are serial in any case, and more threads wait for each other's allocations:
 * two threads take up to twice the CPU time for each write.
 */
const env = { TOKIO_WORKER_THREADS: '1' };

/** The emulator writes this once it listens. A response at its port proves less: another program may have sent it. */
const upText = 'listening on';

/** The address a program listens on. */
type Address = { readonly host: string; readonly port: number };

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

export type RunningDynamodb = RunningService & {
  /** Process id of the emulator; `null` when it was already running. */
  readonly pid: number | null;
};

/**
 * Finds a running DynamoDB emulator, or the program of one, without starting anything.
 *
 * @param endpoint Default: `DYNAMODB_ENDPOINT` of the environment.
 * @throws Error when nothing answers at the endpoint, or when no endpoint is set and no emulator is installed
 */
export async function findDynamodb(endpoint = process.env.DYNAMODB_ENDPOINT) {
  if (endpoint === undefined || endpoint === '') return { binary: findEmulator() };
  const url = endpoint.replace(/\/+$/, '');
  if (await isUp(url)) return { endpoint: url };
  throw new Error(
    `No DynamoDB answers at ${url}, which DYNAMODB_ENDPOINT names: start it, or unset the variable`,
  );
}

/**
 * Path of the emulator for this machine.
 *
 * @throws Error that names the package to install and the variable to set, when none is installed
 */
export function findEmulator(platform: string = process.platform, arch: string = process.arch): string {
  const packageName = `@dynoxide/${platform}-${arch}`;
  try {
    const packageFile = createRequire(import.meta.url).resolve(`${packageName}/package.json`);
    return join(dirname(packageFile), 'dynoxide');
  } catch (error) {
    throw new Error(
      `No DynamoDB emulator is installed for ${platform} on ${arch}. Install one with ` +
        `\`npm install --no-save ${packageName}@${emulatorVersion}\`, or run one and set DYNAMODB_ENDPOINT to its ` +
        'address, as "Other machines" in docs/local-stack.md describes',
      { cause: error },
    );
  }
}

/**
 * Starts the DynamoDB emulator, or uses the one at `endpoint`. A started emulator ends with this process, even if this
 * process is killed.
 *
 * @throws Error when the port is in use, the emulator does not start, or none is installed for this machine
 */
export async function startDynamodb(options: DynamodbOptions = {}): Promise<RunningDynamodb> {
  const { address, dataDir, onUnexpectedEnd } = options;
  const source = await findDynamodb(options.endpoint);
  if ('endpoint' in source) return { url: source.endpoint, pid: null, [Symbol.asyncDispose]: async () => {} };
  if (dataDir !== undefined) await mkdir(dataDir, { recursive: true });
  const data = dataDir === undefined ? [] : ['--db-path', join(dataDir, 'dynamodb.sqlite')];
  for (let attempt = 1; ; attempt += 1) {
    const { host, port } = address ?? hiddenAddress();
    try {
      const args = ['--host', host, '--port', String(port), ...data];
      const options = { command: source.binary, args, env, upText, startTimeoutMs, onUnexpectedEnd };
      return { url: `http://${host}:${port}`, ...(await startGuarded(options)) };
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      if (address === undefined && attempt < startAttempts && reason.includes('in use')) continue;
      throw new Error(`The DynamoDB emulator did not start: ${reason}`, { cause: error });
    }
  }
}

/**
 * An address for a program that responds to every web page: browsers block its port. Its host is one of the 16 million
 * loopback addresses, chosen at random, where the system has them. So other programs that connect to addresses of an
 * attacker's choice do not find it either.
 */
export function hiddenAddress(platform: string = process.platform): Address {
  const [port = 0] = blockedPorts.slice(randomInt(blockedPorts.length));
  if (platform !== 'linux') return { host: loopbackHost, port };
  return { host: ['127', randomInt(1, 255), randomInt(0, 256), randomInt(1, 255)].join('.'), port };
}

/**
 * Accepts any response: emulators differ in how they answer a bare GET. Does not use `fetch`, which refuses the same
 * ports as browsers.
 */
async function isUp(url: string): Promise<boolean> {
  const probe = request(url, { agent: false, signal: AbortSignal.timeout(probeTimeoutMs) }).end();
  const answer = once(probe, 'response').then(
    () => true,
    () => false,
  );
  return await answer.finally(() => probe.destroy());
}
