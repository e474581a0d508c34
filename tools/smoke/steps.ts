import type { Wait } from '#shared/operations/ports.ts';
import { oneLineOf } from '../operator/cli/explain-failure.ts';
import type { Target, TargetOptions } from '../operator/cli/target.ts';
import type { SmokeReceiver } from './receivers.ts';

/** What a run of the smoke test is given. */
export type SmokeRun = {
  readonly options: TargetOptions;
  readonly target: Target;
  readonly apiUrl: string;
  readonly receiver: SmokeReceiver;
  /** How long the delivery may take. */
  readonly seconds: number;
  readonly signal: AbortSignal;
  readonly onResult: (result: StepResult) => void;
  readonly note: (text: string) => void;
  readonly wait: Wait;
};

/** A customer that exists for one run. `keys` grows while they are issued. */
export type ThrowAwayCustomer = {
  readonly id: string;
  readonly keys: { readonly id: string; readonly key: string }[];
};

/** A run with what it has done so far. */
export type World = SmokeRun & {
  readonly steps: Steps;
  /** The customers that the run made. */
  readonly made: ThrowAwayCustomer[];
  /** Every message that the run put on the intake queue. */
  readonly sent: object[];
};

/** What one step of the smoke test showed, as it is printed for a program. */
export type StepResult = {
  readonly step: string;
  readonly outcome: 'passed' | 'failed' | 'not_run';
  readonly duration_ms: number;
  /** What was seen, why the step failed, or why it was not run. */
  readonly detail: string;
};

/** The result of a step that worked, and the text to show for it. */
export type Done<Value> = { readonly value: Value; readonly detail: string };

/** An earlier step failed or the user stopped the run, so the steps that need it cannot run. */
class StepNotDone extends Error {
  override readonly name = 'StepNotDone';
}

/** A step that this run cannot do, for a reason that is no failure. */
export class NotApplicable extends Error {
  override readonly name = 'NotApplicable';
}

export const stopped = 'The run was stopped';

/** Times steps and records their results. */
export class Steps {
  readonly results: StepResult[] = [];
  readonly #run: Pick<SmokeRun, 'signal' | 'onResult'>;

  constructor(run: Pick<SmokeRun, 'signal' | 'onResult'>) {
    this.#run = run;
  }

  /** @throws StepNotDone when the step failed, which is recorded, or the run was stopped before it */
  async run<Value>(step: string, work: () => Promise<Done<Value>>): Promise<Value> {
    if (this.#run.signal.aborted) throw new StepNotDone(step);
    return await this.#measure(step, work, () => (this.#run.signal.aborted ? stopped : undefined));
  }

  /** Like `run`, for a step that no other one needs. @returns `undefined` when it was not done */
  async attempt<Value>(step: string, work: () => Promise<Done<Value>>): Promise<Value | undefined> {
    return await unlessNotDone(() => this.run(step, work));
  }

  /** Like `run`, also after the run was stopped. A failure is recorded only. */
  async cleanUp(step: string, work: () => Promise<Done<void>>): Promise<void> {
    await this.#measure(step, work, () => undefined).catch(() => undefined);
  }

  async #measure<Value>(
    step: string,
    work: () => Promise<Done<Value>>,
    reason: () => string | undefined,
  ): Promise<Value> {
    const startedAt = performance.now();
    const record = (outcome: StepResult['outcome'], detail: string) =>
      this.#record({ step, outcome, duration_ms: Math.round(performance.now() - startedAt), detail });
    try {
      const { value, detail } = await work();
      record('passed', detail);
      return value;
    } catch (error) {
      record(error instanceof NotApplicable ? 'not_run' : 'failed', reason() ?? oneLineOf(error));
      throw new StepNotDone(step, { cause: error });
    }
  }

  /** Records the steps of a plan that have no result. */
  notRun(plan: readonly string[], reason: string): void {
    const seen = new Set(this.results.map(({ step }) => step));
    for (const step of plan) {
      if (!seen.has(step)) this.#record({ step, outcome: 'not_run', duration_ms: 0, detail: reason });
    }
  }

  #record(result: StepResult): void {
    this.results.push(result);
    this.#run.onResult(result);
  }
}

/** Does work that is left when a step in it is not done; that step has recorded why. @returns `undefined` then */
export async function unlessNotDone<Value>(work: () => Promise<Value>): Promise<Value | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof StepNotDone) return undefined;
    throw error;
  }
}
