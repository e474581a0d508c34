import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { FunctionModel } from '../../template/function-model.ts';
import { FunctionWorker } from './function-worker.ts';
import type { InvokeResult, RuntimeData } from './protocol.ts';

export type LambdaFunctionOptions = {
  readonly model: FunctionModel;
  readonly environment: Readonly<Record<string, string>>;
  /** PEM certificates to trust besides those of the process. */
  readonly extraCertificates: readonly string[];
  readonly onLogLine: (line: string) => void;
};

/** A function of the app, in one worker thread, which is replaced when it fails. */
export class LambdaFunction {
  readonly model: FunctionModel;
  readonly #options: LambdaFunctionOptions;
  readonly #runtimeData: RuntimeData;
  readonly #workers = new Set<FunctionWorker>();
  #current: FunctionWorker | undefined;
  #nextId = 1;
  #isClosed = false;

  /** @throws Error when the bundle is not where the template says */
  constructor(options: LambdaFunctionOptions) {
    this.#options = options;
    this.model = options.model;
    this.#runtimeData = runtimeData(options);
  }

  /** Starts the worker if there is none. Resolves when loading has finished, even if it failed. */
  async warmUp(): Promise<void> {
    if (!this.#isClosed) await this.#liveWorker().ready.catch(() => undefined);
  }

  /** Never rejects: load failures, exceptions, crashes and timeouts are function errors. */
  async invoke(event: unknown): Promise<InvokeResult> {
    if (this.#isClosed)
      return { ok: false, errorType: 'Runtime.Closed', errorMessage: 'The stack is stopping' };
    const worker = this.#liveWorker();
    try {
      await worker.ready;
    } catch (error) {
      const errorMessage = error instanceof Error ? error.message : String(error);
      this.#options.onLogLine(`Failed to load: ${errorMessage}`);
      return { ok: false, errorType: 'Runtime.InitError', errorMessage };
    }
    const result = await worker.invoke({
      id: this.#nextId++,
      requestId: randomUUID(),
      event: JSON.stringify(event),
      deadline: Date.now() + this.#timeoutMs,
    });
    if (!result.ok) this.#options.onLogLine(`${result.errorType}: ${result.errorMessage}`);
    return result;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#workers].map((worker) => worker.terminate()));
  }

  get #timeoutMs(): number {
    return this.model.timeoutSeconds * 1_000;
  }

  #liveWorker(): FunctionWorker {
    if (this.#current?.isAlive === true) return this.#current;
    const worker = new FunctionWorker({
      data: this.#runtimeData,
      environment: this.#options.environment,
      timeoutMs: this.#timeoutMs,
      onLogLine: this.#options.onLogLine,
    });
    this.#workers.add(worker);
    worker.exited.then(() => this.#workers.delete(worker));
    this.#current = worker;
    return worker;
  }
}

function runtimeData({ model, extraCertificates }: LambdaFunctionOptions): RuntimeData {
  const dot = model.handler.lastIndexOf('.');
  return {
    functionName: model.name,
    functionArn: model.arn,
    memoryMegabytes: model.memoryMegabytes,
    bundleFile: bundleFile(model, model.handler.slice(0, dot)),
    exportName: model.handler.slice(dot + 1),
    extraCertificates: [...extraCertificates],
  };
}

function bundleFile(model: FunctionModel, moduleName: string): string {
  const candidates = ['mjs', 'js', 'cjs'].map((ending) =>
    path.join(model.codeDirectory, `${moduleName}.${ending}`),
  );
  const found = candidates.find((file) => existsSync(file));
  if (found === undefined) {
    throw new Error(`Cannot run "${model.name}": found none of ${candidates.join(', ')}`);
  }
  return found;
}
