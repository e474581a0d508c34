import type { FunctionModel } from '../../template/function-model.ts';
import { FunctionWorker, type FunctionWorkerOptions } from './function-worker.ts';
import { folderOf, type InvocationRecord } from './invocation-record.ts';
import type { InvokeResult } from './protocol.ts';

export type LambdaFunctionOptions = FunctionWorkerOptions & {
  /** Called after each invocation. */
  readonly onInvocation?: (record: InvocationRecord) => void;
};

const outcomes: Readonly<Record<string, InvocationRecord['outcome']>> = {
  'Sandbox.Timedout': 'timeout',
  'Runtime.ExitError': 'crash',
  'Runtime.InitError': 'init_failed',
};

/** A function of the app, in one thread, which is replaced when it fails. */
export class LambdaFunction {
  readonly model: FunctionModel;
  readonly #options: LambdaFunctionOptions;
  readonly #workers = new Set<FunctionWorker>();
  #current: FunctionWorker | undefined;
  #isClosed = false;

  constructor(options: LambdaFunctionOptions) {
    this.#options = options;
    this.model = options.model;
  }

  /** Starts the worker if there is none. Resolves when loading has finished, even if it failed. */
  async warmUp(): Promise<void> {
    if (!this.#isClosed) await this.#liveWorker().loaded;
  }

  /**
   * Never rejects: load failures, exceptions, crashes and timeouts are function errors.
   *
   * @param records number of SQS messages in the event
   * @param trace header of the messages that the invocation sends
   */
  async invoke(event: unknown, records = 0, trace?: string): Promise<InvokeResult> {
    if (this.#isClosed) return { ok: false, errorType: 'Runtime.Closed', errorMessage: 'The stack is stopping' };
    const worker = this.#liveWorker();
    const coldStart = worker.initMs === null;
    const { result, durationMs } = await worker.invoke(event, trace);
    if (!result.ok) {
      const what = result.errorType === 'Runtime.InitError' ? 'Failed to load' : result.errorType;
      this.#options.onLogLine(`${what}: ${result.errorMessage}`);
    }
    this.#options.onInvocation?.({
      title: this.model.title,
      name: this.model.name,
      folder: folderOf(this.model),
      memoryMegabytes: this.model.memoryMegabytes,
      durationMs,
      records,
      coldStart,
      initMs: coldStart ? (worker.initMs ?? 0) : 0,
      outcome: result.ok ? 'success' : (outcomes[result.errorType] ?? 'error'),
    });
    return result;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#workers].map((worker) => worker.terminate()));
  }

  #liveWorker(): FunctionWorker {
    if (this.#current?.isAlive === true) return this.#current;
    const worker = new FunctionWorker(this.#options, () => this.#workers.delete(worker));
    this.#workers.add(worker);
    this.#current = worker;
    return worker;
  }
}
