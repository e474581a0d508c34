import type { ServiceEndpoints } from '../aws/lambda/function-environment.ts';
import type { SeededCustomer } from './customer-keys.ts';
import type { SeedTarget } from './seed.ts';
import type { SynthesisRequest } from './synthesize-app.ts';

export type StackOptions = {
  /** Port of the API; 0 takes any free one. */
  readonly port: number;
  /** Ports of the test receiver and of its inbox; a taken one is replaced by any free one. Default 0. */
  readonly receiverPorts?: { readonly endpoint: number; readonly inbox: number };
  /** Retry schedules wait, and rules fire, this many times shorter. Default 1. */
  readonly timeScale?: number;
  /** Folder in which data outlives the stack, also one that was killed. Default: in memory. */
  readonly dataDir?: string;
  /** Https origins that may be delivered to although they are not public, besides the test receiver's. */
  readonly trustedOrigins?: readonly string[];
  /** Folder of certificates and, unless said otherwise, of the stack file. Default `.local`. */
  readonly stateDir?: string;
  /** Where the stack describes itself to other programs; `null` for nowhere. Default `stack.json` in `stateDir`. */
  readonly stackFile?: string | null;
  /** How long requests and batches in flight may take to end when the stack is closed. Default 15,000. */
  readonly drainMs?: number;
  /** Stops the start. */
  readonly signal?: AbortSignal;
  /** Told of each step of the start when it is done. */
  readonly onStep?: (step: string, durationMs: number) => void;
  /** Told of each line that a function or a part of the stack writes. `source` says which. */
  readonly onLogLine?: (source: string, line: string) => void;
  /** Told when a part without which the stack cannot go on has ended by itself. */
  readonly onFatal?: (reason: string) => void;
  /** Writes the cloud assembly. Default: runs the CDK app of this repository. */
  readonly synthesize?: (request: SynthesisRequest) => Promise<void>;
  /**
   * Puts something between an emulator and everything that uses it, such as a test that takes it away. Told the
   * emulator's origin, gives the one to use. Default: nothing.
   */
  readonly inFrontOf?: (service: keyof ServiceEndpoints, url: string) => Promise<string>;
  /** Makes customers. Default: through the operations that operators use. */
  readonly seed?: (target: SeedTarget, names: readonly string[]) => Promise<readonly SeededCustomer[]>;
};

/** Options with what was left out filled in. */
export type StackSettings = Required<Omit<StackOptions, 'dataDir'>> & {
  readonly dataDir: string | undefined;
};
