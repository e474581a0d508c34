import { Worker } from 'node:worker_threads';
import { forwardLines } from './log-lines.ts';
import type { InvokeMessage, InvokeResult, RuntimeData, RuntimeMessage } from './protocol.ts';

export type FunctionWorkerOptions = {
  readonly data: RuntimeData;
  readonly environment: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** Called with each line that the handler writes. */
  readonly onLogLine: (line: string) => void;
};

type Invocation = {
  readonly settle: (result: InvokeResult) => void;
  readonly timer: NodeJS.Timeout;
};

/** Several invocations share a thread, so it gets more memory than Lambda gives to one. */
const minHeapMegabytes = 256;

/**
 * A worker thread that runs one bundle, with several concurrent invocations. After a crash or a timeout it accepts no
 * further invocations, and its owner starts another thread.
 */
export class FunctionWorker {
  /** Resolves when the bundle is loaded; rejects when loading failed. */
  readonly ready: Promise<void>;
  readonly exited: Promise<void>;
  readonly #thread: Worker;
  readonly #timeoutMs: number;
  readonly #invocations = new Map<number, Invocation>();
  readonly #loading = Promise.withResolvers<void>();
  #isAlive = true;

  constructor(options: FunctionWorkerOptions) {
    this.#timeoutMs = options.timeoutMs;
    this.#thread = startThread(options);
    this.ready = this.#loading.promise;
    // The invocation that waits for loading, if any, reports its failure.
    this.ready.catch(() => undefined);
    this.#thread.on('message', (message: RuntimeMessage) => this.#receive(message));
    this.#thread.on('error', (error: Error) => this.#crash(error.message));
    this.exited = new Promise((resolve) => {
      this.#thread.on('exit', (code) => {
        this.#crash(`The process of the function ended with code ${code}`);
        resolve();
      });
    });
  }

  /** Whether the thread accepts invocations. */
  get isAlive(): boolean {
    return this.#isAlive;
  }

  /** Never rejects. The thread must be ready. */
  invoke(message: InvokeMessage): Promise<InvokeResult> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#timeOut(message.id), this.#timeoutMs);
      this.#invocations.set(message.id, { settle: resolve, timer });
      this.#thread.postMessage(message);
    });
  }

  async terminate(): Promise<void> {
    this.#isAlive = false;
    await this.#thread.terminate();
  }

  #receive(message: RuntimeMessage): void {
    if (message.kind === 'ready') this.#loading.resolve();
    else if (message.kind === 'init_failed') this.#crash(message.errorMessage);
    else this.#settle(message.id, resultOf(message));
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

  #settle(id: number, result: InvokeResult): void {
    const invocation = this.#invocations.get(id);
    if (invocation === undefined) return;
    clearTimeout(invocation.timer);
    this.#invocations.delete(id);
    invocation.settle(result);
    // An invocation that timed out keeps running; it ends with the thread, once no other invocation needs the thread.
    if (!this.#isAlive && this.#invocations.size === 0) void this.#thread.terminate();
  }
}

function startThread({ data, environment, onLogLine }: FunctionWorkerOptions): Worker {
  const thread = new Worker(new URL('./runtime.ts', import.meta.url), {
    name: data.functionName,
    workerData: data,
    env: { ...environment },
    execArgv: [],
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: Math.max(minHeapMegabytes, data.memoryMegabytes) },
  });
  forwardLines(thread.stdout, onLogLine);
  forwardLines(thread.stderr, onLogLine);
  return thread;
}

function resultOf(message: Extract<RuntimeMessage, { kind: 'result' | 'failed' }>): InvokeResult {
  if (message.kind === 'result') return { ok: true, payload: JSON.parse(message.result) };
  return failure(message.errorType, message.errorMessage);
}

function failure(errorType: string, errorMessage: string): InvokeResult {
  return { ok: false, errorType, errorMessage };
}
