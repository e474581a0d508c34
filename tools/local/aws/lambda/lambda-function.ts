import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { FunctionModel } from '../../template/function-model.ts';
import { type FinishedInvocation, FunctionWorker } from './function-worker.ts';
import { folderOf, type InvocationRecord, outcomeOf } from './invocation-record.ts';
import type { InvokeResult, RuntimeData } from './protocol.ts';

export type LambdaFunctionOptions = {
  readonly model: FunctionModel;
  readonly environment: Readonly<Record<string, string>>;
  /** PEM certificates to trust besides those of the process. */
  readonly extraCertificates: readonly string[];
  readonly onLogLine: (line: string) => void;
  /** Called after each invocation. */
  readonly onInvocation?: (record: InvocationRecord) => void;
};

/** A function of the app, in one thread, which is replaced when it fails. */
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

  /**
   * Never rejects: load failures, exceptions, crashes and timeouts are function errors.
   *
   * @param records number of SQS messages in the event
   * @param trace header of the messages that the invocation sends
   */
  async invoke(event: unknown, records = 0, trace?: string): Promise<InvokeResult> {
    if (this.#isClosed)
      return { ok: false, errorType: 'Runtime.Closed', errorMessage: 'The stack is stopping' };
    const worker = this.#liveWorker();
    const coldStart = worker.initMs === null;
    const { result, durationMs } = await this.#run(worker, event, trace);
    if (!result.ok) this.#options.onLogLine(describe(result));
    this.#options.onInvocation?.({
      title: this.model.title,
      folder: folderOf(this.model),
      memoryMegabytes: this.model.memoryMegabytes,
      durationMs,
      records,
      coldStart,
      initMs: coldStart ? (worker.initMs ?? 0) : 0,
      outcome: outcomeOf(result),
    });
    return result;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#workers].map((worker) => worker.terminate()));
  }

  async #run(worker: FunctionWorker, event: unknown, trace: string | undefined): Promise<FinishedInvocation> {
    try {
      await worker.ready;
    } catch (error) {
      const errorMessage = error instanceof Error ? error.message : String(error);
      return { result: { ok: false, errorType: 'Runtime.InitError', errorMessage }, durationMs: 0 };
    }
    return await worker.invoke({
      id: this.#nextId++,
      requestId: randomUUID(),
      event: JSON.stringify(event),
      deadline: Date.now() + this.#timeoutMs,
      trace,
    });
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

function describe({ errorType, errorMessage }: Extract<InvokeResult, { ok: false }>): string {
  return errorType === 'Runtime.InitError'
    ? `Failed to load: ${errorMessage}`
    : `${errorType}: ${errorMessage}`;
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
