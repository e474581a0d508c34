import { Worker } from 'node:worker_threads';
import { type FunctionHost, type HostOptions, heapMegabytes, noUsage } from './function-host.ts';
import { forwardLines } from './log-lines.ts';
import type { RuntimeMessage } from './protocol.ts';

/** Runs a function in a worker thread of this process. */
export function startThreadHost(options: HostOptions): FunctionHost {
  const { data, environment } = options;
  const thread = new Worker(new URL('./runtime.ts', import.meta.url), {
    name: data.functionName,
    workerData: data,
    env: { ...environment },
    execArgv: [],
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: heapMegabytes(data) },
  });
  forwardLines(thread.stdout, options.onLogLine);
  forwardLines(thread.stderr, options.onLogLine);
  thread.on('message', (message: RuntimeMessage) => options.onMessage(message));
  thread.on('error', (error: Error) => options.onError(error.message));
  thread.on('exit', (code) => options.onExit(String(code)));
  return {
    send: (message) => thread.postMessage(message),
    terminate: async () => {
      await thread.terminate();
    },
    usage: async () => {
      // Rejects when the thread has ended.
      const used = await thread.cpuUsage().catch(() => undefined);
      return used === undefined ? noUsage : { cpuMs: (used.user + used.system) / 1_000, peakMegabytes: null };
    },
  };
}
