import { constants } from 'node:os';

/** A signal, or the end of the npm that runs the script. */
export type StopReason = 'SIGINT' | 'SIGTERM' | 'SIGHUP' | 'npm ended';

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** A terminal's Ctrl-C reaches this process twice under npm: once from the terminal, once passed on by npm. */
const sameSignalMs = 500;

/** The script of package.json that runs the stack's program; npm tells it to what it starts, and to all that those start. */
const ownScript = /\bbin\/local\.ts\b/;

/** Closing the terminal, or the reader of a pipe, ends our output, but not the clean-up. */
export function outliveOutput(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
}

/** Tells of the first reason to stop. A signal after that ends the process, and with it everything it started. */
export function onStop(
  stop: (reason: StopReason) => void,
  { environment = process.env, parentEveryMs = 1_000 } = {},
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
  if (ownScript.test(environment.npm_lifecycle_script ?? ''))
    watchParent(() => onReason('npm ended'), parentEveryMs);
}

/** As shells have it: 130 for Ctrl-C. */
export function exitCodeOf(reason: StopReason): number {
  return 128 + constants.signals[reason === 'npm ended' ? 'SIGHUP' : reason];
}

/**
 * A process that was killed passes nothing on. Its children get another parent, and asking who that is costs one call of
 * the system. Only npm is watched: a shell may start the stack in the background and end.
 */
function watchParent(onEnd: () => void, everyMs: number): void {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    onEnd();
  }, everyMs);
  timer.unref();
}
