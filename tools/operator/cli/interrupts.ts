import { constants } from 'node:os';

/** As in shells. */
export const interruptedExitCode = 128 + constants.signals.SIGINT;

/** Under npm, Ctrl-C reaches this process twice: once from the terminal, once from npm. */
const sameSignalMs = 500;

/**
 * Watches Ctrl-C while a command works. The first one only sets `isStopped`; the next one ends the process.
 *
 * @param leaving called before the process ends
 */
export function watchInterrupts(leaving: () => void): {
  readonly isStopped: () => boolean;
  readonly stopWatching: () => void;
} {
  let firstAt: number | undefined;
  const onSignal = (): void => {
    if (firstAt === undefined) {
      firstAt = performance.now();
    } else if (performance.now() - firstAt > sameSignalMs) {
      leaving();
      process.exit(interruptedExitCode);
    }
  };
  process.on('SIGINT', onSignal);
  return { isStopped: () => firstAt !== undefined, stopWatching: () => process.off('SIGINT', onSignal) };
}
