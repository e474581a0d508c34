import path from 'node:path';
import { localIdleTimeout, type ServiceEndpoints } from '../aws/lambda/function-environment.ts';
import type { InvocationRecord } from '../aws/lambda/invocation-record.ts';
import type { SeedTarget } from './seed.ts';
import type { CallService } from './service-client.ts';
import { defaultStateDir, type SeededCustomer } from './stack-file.ts';
import { type SynthesisRequest, synthesizeApp } from './synthesize-app.ts';

export type StackOptions = {
  /** Port of the API; 0 picks a free port. */
  readonly port: number;
  /** Path that the API is served below, such as `/dev`, as at the address of API Gateway. Default: none. */
  readonly stagePath?: string;
  /** Ports of the test receiver and its inbox. A free port replaces one that is in use. Default 0. */
  readonly receiverPorts?: { readonly endpoint: number; readonly inbox: number };
  /** Ports of `https://localhost` that are reserved for development receivers (`npm run listen`). Default: none. */
  readonly listenPorts?: readonly number[];
  /** Factor that shortens the waits of retry schedules and the intervals of rules. Default 1. */
  readonly timeScale?: number;
  /** Least milliseconds from one run of a rule to the next, at any time scale. Default 5,000. */
  readonly minRuleInterval?: number;
  /** Folder that keeps data after the stack ends or is killed. Default: in memory. */
  readonly dataDir?: string | undefined;
  /** HTTPS origins that may receive deliveries although they are not public, in addition to the test receiver's. */
  readonly trustedOrigins?: readonly string[];
  /** Name servers as `address:port`, which functions ask for the hosts of endpoints. Default: the system's. */
  readonly nameServers?: readonly string[];
  /** Milliseconds that functions wait for a silent emulator, which may only be busy. Default 30,000. */
  readonly idleTimeout?: number;
  /** Folder of the certificate and, by default, of the stack file. Default `.local`. */
  readonly stateDir?: string;
  /** File that describes the stack to other programs; `null` for none. Default `stack.json` in `stateDir`. */
  readonly stackFile?: string | null;
  /** Milliseconds for requests and batches in flight to finish when the stack closes. Default 15,000. */
  readonly drainMs?: number;
  /** Aborts the start. */
  readonly signal?: AbortSignal;
  /** Called after each step of the start. */
  readonly onStep?: (step: string, durationMs: number) => void;
  /** Called with each line of output of a function or another part, which `source` names. */
  readonly onLogLine?: (source: string, line: string) => void;
  /** Called after each invocation of a function. */
  readonly onInvocation?: (record: InvocationRecord) => void;
  /**
   * Runs the bundles of another build, `<bundleFolder>/<function folder>/index.mjs`, instead of those of the template;
   * a function without a bundle there runs the one of the template. Only for benchmarks that compare two builds: the
   * stack then runs something else than what is deployed. Default: none.
   */
  readonly bundleFolder?: string | undefined;
  /** Writes the cloud assembly. Default: runs the CDK app of this repository. */
  readonly synthesize?: (request: SynthesisRequest) => Promise<void>;
  /**
   * Puts something in front of an emulator, for example to make the emulator unavailable in a test. Receives the
   * emulator's origin and, of DynamoDB and SQS, what calls it without a connection; returns the origin to use. Default:
   * nothing.
   */
  readonly wrapService?: (service: keyof ServiceEndpoints, url: string, call?: CallService) => Promise<string>;
  /** Creates customers. Default: through the same operations as the admin commands. */
  readonly seed?: (target: SeedTarget, names: readonly string[]) => Promise<readonly SeededCustomer[]>;
};

/** Options with their defaults filled in. */
export type StackSettings = Required<StackOptions>;

/** @throws Error that names the invalid option */
export function settingsOf(options: StackOptions): StackSettings {
  const { stateDir = defaultStateDir, dataDir, bundleFolder } = options;
  return {
    stagePath: '',
    receiverPorts: { endpoint: 0, inbox: 0 },
    listenPorts: [],
    timeScale: 1,
    minRuleInterval: 5_000,
    nameServers: [],
    idleTimeout: localIdleTimeout,
    stackFile: path.join(stateDir, 'stack.json'),
    drainMs: 15_000,
    signal: new AbortController().signal,
    onStep: () => undefined,
    onLogLine: () => undefined,
    onInvocation: () => undefined,
    synthesize: synthesizeApp,
    wrapService: async (_service, url) => url,
    seed: options.seed ?? seedThroughOperations(),
    ...options,
    stateDir,
    dataDir: dataDir === undefined ? undefined : path.resolve(dataDir),
    bundleFolder: bundleFolder === undefined ? undefined : path.resolve(bundleFolder),
    trustedOrigins: (options.trustedOrigins ?? []).map(parseTrustedOrigin),
  };
}

/** Path of a file or folder in the data folder; `undefined` without a data folder. */
export function dataPath({ dataDir }: StackSettings, name: string): string | undefined {
  return dataDir === undefined ? undefined : path.join(dataDir, name);
}

/** Loads the operations while the app is synthesized. */
function seedThroughOperations(): StackSettings['seed'] {
  const loading = import('./seed.ts');
  // A start that fails early never awaits it.
  loading.catch(() => undefined);
  return async (target, names) => (await loading).seedCustomers(target, names);
}

/**
 * Validates an origin that may receive deliveries although it is not public.
 *
 * @throws Error unless the text is exactly an https origin, such as `https://localhost:9443`
 */
export function parseTrustedOrigin(text: string): string {
  const url = URL.parse(text);
  // The URL of an endpoint is compared without the dot at the end of its host.
  const isExact = url?.origin === text && url.protocol === 'https:' && !url.hostname.endsWith('.');
  if (isExact) return text;
  throw new Error(`Cannot trust "${text}": give an https origin without a path, such as https://localhost:9443`);
}
