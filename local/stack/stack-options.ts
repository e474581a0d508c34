import path from 'node:path';
import type { ServiceEndpoints } from '../aws/lambda/function-environment.ts';
import type { SeededCustomer } from './customer-keys.ts';
import type { SeedTarget } from './seed.ts';
import { defaultStateDir } from './stack-file.ts';
import { type SynthesisRequest, synthesizeApp } from './synthesize-app.ts';
import { parseTrustedOrigin } from './trusted-origin.ts';

export type StackOptions = {
  /** Port of the API; 0 takes any free one. */
  readonly port: number;
  /** Ports of the test receiver and of its inbox; a taken one is replaced by a free one. Default 0. */
  readonly receiverPorts?: { readonly endpoint: number; readonly inbox: number };
  /** Retry schedules wait, and rules fire, this many times shorter. Default 1. */
  readonly timeScale?: number;
  /** Folder in which data outlives the stack, also one that was killed. Default: in memory. */
  readonly dataDir?: string;
  /** HTTPS origins that deliveries may go to although they are not public, besides the test receiver's. */
  readonly trustedOrigins?: readonly string[];
  /** Folder of the certificate and, by default, of the stack file. Default `.local`. */
  readonly stateDir?: string;
  /** Where the stack describes itself to other programs; `null` for nowhere. Default `stack.json` in `stateDir`. */
  readonly stackFile?: string | null;
  /** How long requests and batches in flight may take to end when the stack is closed. Default 15,000. */
  readonly drainMs?: number;
  /** Stops the start. */
  readonly signal?: AbortSignal;
  /** Called after each step of the start. */
  readonly onStep?: (step: string, durationMs: number) => void;
  /** Called with each line that a function or a part of the stack writes. `source` names it. */
  readonly onLogLine?: (source: string, line: string) => void;
  /** Called when a part that the stack cannot run without has ended by itself. */
  readonly onFatal?: (reason: string) => void;
  /** Writes the cloud assembly. Default: runs the CDK app of this repository. */
  readonly synthesize?: (request: SynthesisRequest) => Promise<void>;
  /**
   * Puts a proxy in front of an emulator, such as one with which a test takes the emulator away: gets the emulator's
   * origin, and gives the origin to use. Default: none.
   */
  readonly wrapService?: (service: keyof ServiceEndpoints, url: string) => Promise<string>;
  /** Makes customers. Default: through the operations that operators use. */
  readonly seed?: (target: SeedTarget, names: readonly string[]) => Promise<readonly SeededCustomer[]>;
};

/** Options with their defaults filled in. */
export type StackSettings = Required<Omit<StackOptions, 'dataDir'>> & {
  readonly dataDir: string | undefined;
};

/** @throws Error that says what is wrong with an option */
export function settingsOf(options: StackOptions): StackSettings {
  const { stateDir = defaultStateDir, dataDir } = options;
  return {
    receiverPorts: { endpoint: 0, inbox: 0 },
    timeScale: 1,
    stackFile: path.join(stateDir, 'stack.json'),
    drainMs: 15_000,
    signal: new AbortController().signal,
    onStep: () => undefined,
    onLogLine: () => undefined,
    onFatal: () => undefined,
    synthesize: synthesizeApp,
    wrapService: async (_service, url) => url,
    seed: options.seed ?? seedThroughOperations(),
    ...options,
    stateDir,
    dataDir: dataDir === undefined ? undefined : path.resolve(dataDir),
    trustedOrigins: (options.trustedOrigins ?? []).map(parseTrustedOrigin),
  };
}

/** A file or folder of the kept data; `undefined` when nothing is kept. */
export function dataPath({ dataDir }: StackSettings, name: string): string | undefined {
  return dataDir === undefined ? undefined : path.join(dataDir, name);
}

/** The AWS SDK takes its time to load; that passes while the app is synthesized. */
function seedThroughOperations(): StackSettings['seed'] {
  const loading = import('./seed.ts');
  // A start that ends early never asks for it.
  loading.catch(() => undefined);
  return async (target, names) => (await loading).seedCustomers(target, names);
}
