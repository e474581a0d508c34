import type { HostUsage, InvokeMessage, RuntimeData, RuntimeMessage } from './protocol.ts';

export type HostOptions = {
  readonly data: RuntimeData;
  readonly environment: Readonly<Record<string, string>>;
  /** Called with each line that the handler writes. */
  readonly onLogLine: (line: string) => void;
  readonly onMessage: (message: RuntimeMessage) => void;
  /** Called with the message of an error that ends the host. Not every host reports one. */
  readonly onError: (reason: string) => void;
  /** Called when the host has ended; `code` is its exit code, or the signal that ended it. */
  readonly onExit: (code: string) => void;
};

/** A thread or process that runs one bundle. */
export type FunctionHost = {
  readonly send: (message: InvokeMessage) => void;
  /** Ends the host at once, even if it is busy. Resolves when it has ended. */
  readonly terminate: () => Promise<void>;
  /** Zeros once it has ended. */
  readonly usage: () => Promise<HostUsage>;
};

export type StartHost = (options: HostOptions) => FunctionHost;

/** Several invocations share a host, so it gets more memory than Lambda gives to one. */
const minHeapMegabytes = 256;

/** Size of the heap in megabytes. */
export function heapMegabytes({ memoryMegabytes }: RuntimeData): number {
  return Math.max(minHeapMegabytes, memoryMegabytes);
}

/** The usage of a host that has ended. */
export const noUsage: HostUsage = { cpuMs: 0, peakMegabytes: null };
