/** Start values of a worker thread. */
export type RuntimeData = {
  readonly functionName: string;
  readonly functionArn: string;
  readonly memoryMegabytes: number;
  readonly bundleFile: string;
  readonly exportName: string;
  /** PEM certificates that are trusted besides those of the process. */
  readonly extraCertificates: readonly string[];
};

/** Stack → worker. `event` is JSON text, `deadline` epoch milliseconds. */
export type InvokeMessage = {
  readonly id: number;
  readonly requestId: string;
  readonly event: string;
  readonly deadline: number;
};

/** Worker → stack. */
export type RuntimeMessage =
  | { readonly kind: 'ready' }
  | { readonly kind: 'init_failed'; readonly errorMessage: string }
  | { readonly kind: 'result'; readonly id: number; readonly result: string }
  | {
      readonly kind: 'failed';
      readonly id: number;
      readonly errorType: string;
      readonly errorMessage: string;
    };

/** Outcome of one invocation. A failure is a value: the caller decides what a function error means. */
export type InvokeResult =
  /** `payload` is the result of the handler, after JSON. */
  | { readonly ok: true; readonly payload: unknown }
  | {
      readonly ok: false;
      readonly errorType: string;
      readonly errorMessage: string;
    };
