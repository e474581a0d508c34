import type { FunctionModel } from '../../template/function-model.ts';

/** Start values of the thread of a function. */
export type RuntimeData = {
  readonly model: FunctionModel;
  /** PEM certificates to trust besides those of the process. */
  readonly extraCertificates: readonly string[];
};

/** Stack → thread. */
export type InvokeMessage = {
  readonly id: number;
  readonly requestId: string;
  /** JSON text. */
  readonly event: string;
  /** Epoch milliseconds. */
  readonly deadline: number;
  /** Trace header of the messages that the invocation sends. */
  readonly trace: string | undefined;
};

/** Thread → stack. `durationMs` is the handler's time. */
export type RuntimeMessage =
  | { readonly kind: 'ready' }
  | { readonly kind: 'init_failed'; readonly errorMessage: string }
  | {
      readonly kind: 'done';
      readonly id: number;
      readonly durationMs: number;
      readonly result: InvokeResult;
    };

/** Outcome of one invocation. A failure is a value: the caller decides how to handle a function error. */
export type InvokeResult =
  /** `payload` is the handler's result after a JSON round trip. */
  | { readonly ok: true; readonly payload: unknown }
  | { readonly ok: false; readonly errorType: string; readonly errorMessage: string };
