import type { FunctionModel } from '../../template/function-model.ts';

/** One finished invocation of a function. */
export type InvocationRecord = {
  /** As in the template: `<stage>: <folder>`. */
  readonly title: string;
  /** Name of the function, which is also the session of its calls. */
  readonly name: string;
  /** Folder of the handler, such as `queue/deliver`. */
  readonly folder: string;
  /** Memory that the template gives the function. */
  readonly memoryMegabytes: number;
  /** Time of the handler, without loading. */
  readonly durationMs: number;
  /** Number of SQS messages; 0 for an invocation by another source. */
  readonly records: number;
  /** Whether the invocation waited for the function to load. */
  readonly coldStart: boolean;
  /** Milliseconds of the load that the invocation waited for; 0 without a cold start. */
  readonly initMs: number;
  /** `error`: the handler threw. */
  readonly outcome: 'success' | 'error' | 'timeout' | 'crash' | 'init_failed';
};

/** Folder of the handler, which the title names after the stage. */
export function folderOf({ title }: Pick<FunctionModel, 'title'>): string {
  return title.replace(/^[^:]*: /, '');
}
