import { randomUUID } from 'node:crypto';
import { createInterface } from 'node:readline';
import { Worker } from 'node:worker_threads';
import type { InvokeMessage, InvokeResult, RuntimeData, RuntimeMessage } from './protocol.ts';

export type FunctionWorkerOptions = RuntimeData & {
  readonly environment: Readonly<Record<string, string>>;
  /** Called with each line that the handler writes. */
  readonly onLogLine: (line: string) => void;
};

type FinishedInvocation = {
  readonly result: InvokeResult;
  /** Time of the handler in milliseconds, up to the timeout or crash. */
  readonly durationMs: number;
};

type Invocation = {
  readonly settle: (finished: FinishedInvocation) => void;
  readonly startedAt: number;
  readonly timer: NodeJS.Timeout;
};

/** Several invocations share a thread, so it gets more memory than Lambda gives to one. */
const minHeapMegabytes = 256;

/**
 * A thread that runs one bundle, with several concurrent invocations. After a crash or a timeout it accepts no further
 * invocations, and its owner starts another.
 */
export class FunctionWorker {
  readonly #thread: Worker;
  readonly #timeoutMs: number;
  readonly #invocations = new Map<number, Invocation>();
  readonly #loading = Promise.withResolvers<string | undefined>();
  /** Resolves when loading has ended: with the reason if it failed. */
  readonly loaded = this.#loading.promise;
  readonly #startedAt = performance.now();
  #nextId = 1;
  #isAlive = true;
  #initMs: number | null = null;

  /** @param onExit called when the thread has ended */
  constructor(options: FunctionWorkerOptions, onExit: () => void) {
    const { model, extraCertificates, environment, onLogLine } = options;
    this.#timeoutMs = model.timeoutSeconds * 1_000;
    const workerData: RuntimeData = { model, extraCertificates };
    this.#thread = new Worker(new URL('./runtime.mjs', import.meta.url), {
      name: model.name,
      workerData,
      env: { ...environment },
      execArgv: [],
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: Math.max(minHeapMegabytes, model.memoryMegabytes) },
    });
    // Reading also keeps the buffers of the streams from filling up.
    for (const input of [this.#thread.stdout, this.#thread.stderr])
      createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY }).on('line', onLogLine);
    this.#thread.on('message', (message: RuntimeMessage) => this.#receive(message));
    this.#thread.on('error', (error: Error) => this.#crash(error.message));
    this.#thread.on('exit', (code) => {
      this.#crash(`The process of the function ended with code ${code}`);
      onExit();
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

  /** Waits until the bundle is loaded. Never rejects. */
  async invoke(event: unknown, trace: string | undefined): Promise<FinishedInvocation> {
    const errorMessage = await this.loaded;
    if (errorMessage !== undefined) {
      return { result: { ok: false, errorType: 'Runtime.InitError', errorMessage }, durationMs: 0 };
    }
    const { promise, resolve } = Promise.withResolvers<FinishedInvocation>();
    const message: InvokeMessage = {
      id: this.#nextId++,
      requestId: randomUUID(),
      event: JSON.stringify(event),
      deadline: Date.now() + this.#timeoutMs,
      trace,
    };
    const timer = setTimeout(() => this.#timeOut(message.id), this.#timeoutMs);
    this.#invocations.set(message.id, { settle: resolve, startedAt: performance.now(), timer });
    this.#thread.postMessage(message);
    return await promise;
  }

  /** Ends the thread at once, even if it is busy. Resolves when it has ended. */
  async terminate(): Promise<void> {
    this.#isAlive = false;
    await this.#thread.terminate();
  }

  #receive(message: RuntimeMessage): void {
    if (message.kind === 'ready') {
      this.#initMs = performance.now() - this.#startedAt;
      this.#loading.resolve(undefined);
    } else if (message.kind === 'init_failed') {
      this.#crash(message.errorMessage);
      void this.terminate();
    } else {
      this.#settle(message.id, message.result, message.durationMs);
    }
  }

  #timeOut(id: number): void {
    this.#isAlive = false;
    const errorMessage = `Task timed out after ${(this.#timeoutMs / 1_000).toFixed(2)} seconds`;
    this.#settle(id, { ok: false, errorType: 'Sandbox.Timedout', errorMessage });
  }

  #crash(errorMessage: string): void {
    this.#isAlive = false;
    this.#loading.resolve(errorMessage);
    for (const id of [...this.#invocations.keys()])
      this.#settle(id, { ok: false, errorType: 'Runtime.ExitError', errorMessage });
  }

  #settle(id: number, result: InvokeResult, durationMs?: number): void {
    const invocation = this.#invocations.get(id);
    if (invocation === undefined) return;
    clearTimeout(invocation.timer);
    this.#invocations.delete(id);
    invocation.settle({ result, durationMs: durationMs ?? performance.now() - invocation.startedAt });
    // An invocation that timed out keeps running; it ends with the thread, once no other one needs that.
    if (!this.#isAlive && this.#invocations.size === 0) void this.terminate();
  }
}
