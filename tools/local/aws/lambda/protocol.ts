/** Start values of the thread of a function. */
export type RuntimeData = {
  readonly functionName: string;
  readonly functionArn: string;
  readonly memoryMegabytes: number;
  readonly bundleFile: string;
  readonly exportName: string;
  /** PEM certificates to trust in addition to the default ones. */
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
