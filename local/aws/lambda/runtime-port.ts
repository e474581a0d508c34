import { parentPort, workerData } from 'node:worker_threads';
import type { RuntimeData, RuntimeMessage, StackMessage } from './protocol.ts';

/** The connection of the runtime to the stack. */
export type RuntimePort = {
  readonly data: RuntimeData;
  readonly send: (message: RuntimeMessage) => void;
  /** Keeps the host alive. */
  readonly receive: (listener: (message: StackMessage) => void) => void;
};

/** Connects a thread through its port, and a process through its channel, on which the start values come first. */
export async function openRuntimePort(): Promise<RuntimePort> {
  if (parentPort !== null) return threadPort(parentPort, workerData);
  const { promise: started, resolve: start } = Promise.withResolvers<RuntimeData>();
  const { promise: loaded, resolve: listen } = Promise.withResolvers<(message: StackMessage) => void>();
  let onMessage = (message: StackMessage): void => void loaded.then((listener) => listener(message));
  process.on('message', (message: StackMessage) => {
    if (message.kind === 'start') start(message.data);
    else onMessage(message);
  });
  // The stack has ended.
  process.on('disconnect', () => process.exit());
  return {
    data: await started,
    send: (message) => void process.send?.(message),
    receive: (listener) => {
      onMessage = listener;
      listen(listener);
    },
  };
}

function threadPort(port: NonNullable<typeof parentPort>, data: RuntimeData): RuntimePort {
  return {
    data,
    send: (message) => port.postMessage(message),
    receive: (listener) => void port.on('message', (message: StackMessage) => listener(message)),
  };
}
