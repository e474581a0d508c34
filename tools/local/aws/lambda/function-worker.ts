import type { InvokeMessage, InvokeResult, RuntimeMessage } from './protocol.ts';
import { type HostOptions, startThreadHost, type ThreadHost } from './thread-host.ts';

export type FunctionWorkerOptions = Pick<HostOptions, 'data' | 'environment' | 'onLogLine'> & {
  readonly timeoutMs: number;
};

/** A finished invocation. */
export type FinishedInvocation = {
  readonly result: InvokeResult;
  /** Time of the handler in milliseconds, up to the timeout or crash. */
  readonly durationMs: number;
};

type Invocation = {
  readonly settle: (finished: FinishedInvocation) => void;
  readonly startedAt: number;
  readonly timer: NodeJS.Timeout;
};

/**
 * A thread that runs one bundle, with several concurrent invocations. After a crash or a timeout it accepts no further
 * invocations, and its owner starts another.
 */
export class FunctionWorker {
  /** Resolves when the bundle is loaded; rejects when loading failed. */
  readonly ready: Promise<void>;
  readonly exited: Promise<void>;
  readonly #host: ThreadHost;
  readonly #timeoutMs: number;
  readonly #invocations = new Map<number, Invocation>();
  readonly #loading = Promise.withResolvers<void>();
  readonly #startedAt = performance.now();
  #isAlive = true;
  #initMs: number | null = null;

  constructor({ timeoutMs, ...options }: FunctionWorkerOptions) {
    this.#timeoutMs = timeoutMs;
    this.ready = this.#loading.promise;
    // The invocation that waits for loading, if any, reports its failure.
    this.ready.catch(() => undefined);
    const exited = Promise.withResolvers<void>();
    this.exited = exited.promise;
    this.#host = startThreadHost({
      ...options,
      onMessage: (message) => this.#receive(message),
      onError: (reason) => this.#crash(reason),
      onExit: (code) => {
        this.#crash(`The process of the function ended with code ${code}`);
        exited.resolve();
      },
    });
  }

  /** Whether the thread accepts invocations. */
  get isAlive(): boolean {
    return this.#isAlive;
  }

  /** Milliseconds from the start of the thread until the bundle was loaded; `null` until then. */
  get initMs(): number | null {
    return this.#initMs;
  }

  /** Never rejects. The thread must be ready. */
  invoke(message: InvokeMessage): Promise<FinishedInvocation> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#timeOut(message.id), this.#timeoutMs);
      this.#invocations.set(message.id, { settle: resolve, startedAt: performance.now(), timer });
      this.#host.send(message);
    });
  }

  async terminate(): Promise<void> {
    this.#isAlive = false;
    await this.#host.terminate();
  }

  #receive(message: RuntimeMessage): void {
    if (message.kind === 'ready') {
      this.#initMs = performance.now() - this.#startedAt;
      this.#loading.resolve();
    } else if (message.kind === 'init_failed') {
      this.#crash(message.errorMessage);
      void this.#host.terminate();
    } else {
      this.#settle(message.id, resultOf(message), message.durationMs);
    }
  }

  #timeOut(id: number): void {
    this.#isAlive = false;
    const seconds = (this.#timeoutMs / 1_000).toFixed(2);
    this.#settle(id, failure('Sandbox.Timedout', `Task timed out after ${seconds} seconds`));
  }

  #crash(reason: string): void {
    this.#isAlive = false;
    this.#loading.reject(new Error(reason));
    for (const id of [...this.#invocations.keys()]) this.#settle(id, failure('Runtime.ExitError', reason));
  }

  #settle(id: number, result: InvokeResult, durationMs?: number): void {
    const invocation = this.#invocations.get(id);
    if (invocation === undefined) return;
    clearTimeout(invocation.timer);
    this.#invocations.delete(id);
    invocation.settle({ result, durationMs: durationMs ?? performance.now() - invocation.startedAt });
    // An invocation that timed out keeps running; it ends with the thread, once no other one needs that.
    if (!this.#isAlive && this.#invocations.size === 0) void this.#host.terminate();
  }
}

function resultOf(message: Extract<RuntimeMessage, { kind: 'result' | 'failed' }>): InvokeResult {
  if (message.kind === 'result') return { ok: true, payload: JSON.parse(message.result) };
  return failure(message.errorType, message.errorMessage);
}

function failure(errorType: string, errorMessage: string): InvokeResult {
  return { ok: false, errorType, errorMessage };
}
