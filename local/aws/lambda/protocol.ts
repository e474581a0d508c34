import { z } from 'zod';

/** Start values of a worker thread. */
export const runtimeDataSchema = z.object({
  functionName: z.string(),
  functionArn: z.string(),
  memoryMegabytes: z.number(),
  bundleFile: z.string(),
  exportName: z.string(),
  /** PEM certificates to trust in addition to those of the process. */
  extraCertificates: z.array(z.string()),
});

export type RuntimeData = Readonly<z.infer<typeof runtimeDataSchema>>;

/** Stack → worker. */
export const invokeMessageSchema = z.object({
  id: z.number(),
  requestId: z.string(),
  /** JSON text. */
  event: z.string(),
  /** Epoch milliseconds. */
  deadline: z.number(),
});

export type InvokeMessage = Readonly<z.infer<typeof invokeMessageSchema>>;

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

/** Outcome of one invocation. A failure is a value: the caller decides how to handle a function error. */
export type InvokeResult =
  /** `payload` is the handler's result after a JSON round trip. */
  | { readonly ok: true; readonly payload: unknown }
  | { readonly ok: false; readonly errorType: string; readonly errorMessage: string };
