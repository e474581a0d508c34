import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import tls from 'node:tls';
import { fileURLToPath } from 'node:url';
import {
  type FunctionHost,
  type HostOptions,
  heapMegabytes,
  noUsage,
  type StartHost,
} from './function-host.ts';
import { forwardLines } from './log-lines.ts';
import type { HostUsage, RuntimeMessage, StackMessage } from './protocol.ts';

const runtimeFile = fileURLToPath(new URL('./runtime.ts', import.meta.url));
const guardFile = fileURLToPath(new URL('./host-guard.ts', import.meta.url));

/** Starts hosts that are processes. Disposal ends what guards them; the hosts must have ended. */
export type ProcessHosts = AsyncDisposable & { readonly start: StartHost };

/**
 * Runs each function in a process of its own, as Lambda does. No process outlives this one, even if this one is killed
 * while a handler blocks its event loop: a guard process knows their ids, and kills them when this process ends.
 */
export function processHosts(): ProcessHosts {
  let guard: ReturnType<typeof startGuard> | undefined;
  return {
    start: (options) => {
      guard ??= startGuard();
      const { stdin } = guard;
      return startProcessHost(options, (line) => stdin.write(`${line}\n`));
    },
    [Symbol.asyncDispose]: async () => {
      guard?.stdin.end();
      if (guard?.exitCode === null && guard.signalCode === null) await once(guard, 'close');
    },
  };
}

/** In its own session, like the functions: Ctrl-C in the terminal must not end work in flight. */
function startGuard() {
  const guard = spawn(process.execPath, [guardFile], {
    detached: true,
    env: {},
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  guard.on('error', () => undefined);
  // The pipe breaks when the guard ends first.
  guard.stdin.on('error', () => undefined);
  return guard;
}

function startProcessHost(options: HostOptions, tellGuard: (line: number) => void): FunctionHost {
  const child = forkRuntime(options);
  const send = (message: StackMessage) => {
    // A process that ends first reports its end by its own event.
    if (child.connected) child.send(message, () => undefined);
  };
  const waiting: ((usage: HostUsage) => void)[] = [];
  const { pid } = child;
  if (pid !== undefined) tellGuard(pid);
  const ended = Promise.withResolvers<void>();
  child.on('message', (message: RuntimeMessage) => {
    if (message.kind === 'usage') waiting.shift()?.(message.usage);
    else options.onMessage(message);
  });
  const end = (code: string) => {
    if (pid !== undefined) tellGuard(-pid);
    for (const resolve of waiting.splice(0)) resolve(noUsage);
    options.onExit(code);
    ended.resolve();
  };
  child.on('error', (error) => options.onError(error.message));
  child.on('close', (code, signal) => end(String(code ?? signal)));
  send({ kind: 'start', data: { ...options.data, extraCertificates: certificates(options) } });
  return {
    send,
    terminate: async () => {
      child.kill('SIGKILL');
      await ended.promise;
    },
    usage: () =>
      new Promise((resolve) => {
        if (!child.connected) return resolve(noUsage);
        waiting.push(resolve);
        send({ kind: 'usage' });
      }),
  };
}

function forkRuntime({ data, environment, onLogLine }: HostOptions): ChildProcess {
  const child = fork(runtimeFile, [], {
    env: { ...environment },
    execArgv: [`--max-old-space-size=${heapMegabytes(data)}`],
    detached: true,
    serialization: 'advanced',
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  if (child.stdout !== null) forwardLines(child.stdout, onLogLine);
  if (child.stderr !== null) forwardLines(child.stderr, onLogLine);
  return child;
}

/** The environment of a function has no NODE_EXTRA_CA_CERTS, so the process gets those certificates too. */
function certificates({ data }: HostOptions): readonly string[] {
  return [...tls.getCACertificates('extra'), ...data.extraCertificates];
}
