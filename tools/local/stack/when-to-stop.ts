import { constants } from 'node:os';

/** A signal, or the end of the npm process that runs the script. */
export type StopReason = 'SIGINT' | 'SIGTERM' | 'SIGHUP' | 'npm ended';

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Under npm, Ctrl-C reaches this process twice: once from the terminal, once from npm. */
const sameSignalMs = 500;

/** Errors of output that nobody reads any more: the reader of a pipe has ended, or the terminal is closed. */
const unread: readonly unknown[] = ['EPIPE', 'ECONNRESET', 'EIO'];

/**
 * Lets the process finish its clean-up after the terminal or the reader of a pipe is closed. A result that could not be
 * written, for example to a full disk, is a failure.
 */
export function outliveOutput(): void {
  process.stderr.on('error', () => undefined);
  process.stdout.on('error', ({ message, code }: NodeJS.ErrnoException) => {
    if (unread.includes(code) || process.exitCode === 1) return;
    process.exitCode = 1;
    process.stderr.write(`The output could not be written (${message})\n`);
  });
}

/**
 * Calls `stop` with the first reason. A later signal ends the process, and everything it started, immediately.
 *
 * @param options.script entry point of this program, as npm's script names it: npm passes its script to every process
 *   below it. Default: that of the stack
 */
export function onStop(
  stop: (reason: StopReason) => void,
  { environment = process.env, parentEveryMs = 1_000, script = 'bin/local.ts' } = {},
): void {
  let firstAt: number | undefined;
  const onReason = (reason: StopReason): void => {
    if (firstAt === undefined) {
      firstAt = performance.now();
      stop(reason);
    } else if (reason !== 'npm ended' && performance.now() - firstAt > sameSignalMs) {
      process.exit(exitCodeOf(reason));
    }
  };
  for (const signal of signals) process.on(signal, onReason);
  const isScript = environment.npm_lifecycle_script?.includes(script) === true;
  if (isScript || environment.WEBHOOKS_LAUNCHER === String(process.ppid))
    watchParent(() => onReason('npm ended'), parentEveryMs);
}

/** As in shells: 130 for Ctrl-C. */
export function exitCodeOf(reason: StopReason): number {
  return 128 + constants.signals[reason === 'npm ended' ? 'SIGHUP' : reason];
}

/**
 * Detects a killed npm or launcher, which forwards no signal, by the new parent of this process. Watches only these: a
 * shell may start the stack in the background and exit.
 */
function watchParent(onEnd: () => void, everyMs: number): void {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    // A signal to the whole process group also ends npm. Its handler runs before an immediate, so the signal is the reason.
    setImmediate(onEnd);
  }, everyMs);
  timer.unref();
}
