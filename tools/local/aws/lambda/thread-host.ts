import { Worker } from 'node:worker_threads';
import { forwardLines } from './log-lines.ts';
import type { InvokeMessage, RuntimeData, RuntimeMessage } from './protocol.ts';

export type HostOptions = {
  readonly data: RuntimeData;
  readonly environment: Readonly<Record<string, string>>;
  /** Called with each line that the handler writes. */
  readonly onLogLine: (line: string) => void;
  readonly onMessage: (message: RuntimeMessage) => void;
  /** Called with the message of an error that ends the thread. */
  readonly onError: (reason: string) => void;
  /** Called when the thread has ended. */
  readonly onExit: (code: number) => void;
};

/** A thread of this process that runs one bundle. */
export type ThreadHost = {
  readonly send: (message: InvokeMessage) => void;
  /** Ends the thread at once, even if it is busy. Resolves when it has ended. */
  readonly terminate: () => Promise<void>;
};

/** Several invocations share a thread, so it gets more memory than Lambda gives to one. */
const minHeapMegabytes = 256;

export function startThreadHost(options: HostOptions): ThreadHost {
  const { data, environment } = options;
  const thread = new Worker(new URL('./runtime.ts', import.meta.url), {
    name: data.functionName,
    workerData: data,
    env: { ...environment },
    execArgv: [],
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: Math.max(minHeapMegabytes, data.memoryMegabytes) },
  });
  forwardLines(thread.stdout, options.onLogLine);
  forwardLines(thread.stderr, options.onLogLine);
  thread.on('message', (message: RuntimeMessage) => options.onMessage(message));
  thread.on('error', (error: Error) => options.onError(error.message));
  thread.on('exit', options.onExit);
  return {
    send: (message) => thread.postMessage(message),
    terminate: async () => {
      await thread.terminate();
    },
  };
}
