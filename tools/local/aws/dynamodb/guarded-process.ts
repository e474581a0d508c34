import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const guardFile = fileURLToPath(new URL('./guard.ts', import.meta.url));
const maxKeptErrorText = 4000;
const closeTimeoutMs = 6000;

export type GuardedProcess = {
  /** Process id of the command itself, not of its guard. */
  readonly pid: Promise<number>;
  /** Resolves when the command has ended, with the last text it wrote to standard error. */
  readonly ended: Promise<string>;
  /**
   * Waits until the command writes a text to standard error.
   *
   * @throws Error with its output, when the command ends or the time limit passes first
   */
  wrote(text: string, timeoutMs: number): Promise<void>;
  /** Asks the command to end, kills it after six seconds, and resolves when it has ended. */
  close(): Promise<void>;
};

/**
 * Starts a command that cannot outlive this process. The command runs in its own session, so that Ctrl-C in the
 * terminal reaches only this process, which ends the command during its own shutdown.
 *
 * @param env all variables of the command
 */
export function startGuarded(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): GuardedProcess {
  const guard = spawn(process.execPath, [guardFile, command, ...args], {
    detached: true,
    env: { ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  // Nothing is written to the pipe, but it breaks when the guard ends first.
  guard.stdin.on('error', () => {});
  let errorText = '';
  guard.stderr.setEncoding('utf8').on('data', (text: string) => {
    errorText = (errorText + text).slice(-maxKeptErrorText);
  });
  const pid = readPid(guard);
  // `ended` reports the same failure, so a caller may ignore this one.
  pid.catch(() => {});
  const ended = new Promise<string>((resolve) => {
    guard.once('close', () => resolve(errorText.trim()));
    guard.once('error', (error) => resolve(error.message));
  });
  const wrote = async (text: string, timeoutMs: number): Promise<void> => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const look = (): void => {
      if (errorText.includes(text)) resolve();
    };
    const giveUp = (): void =>
      reject(new Error(`it did not write "${text}" within ${timeoutMs} ms. ${errorText}`.trim()));
    const timer = setTimeout(giveUp, timeoutMs);
    guard.stderr.on('data', look);
    void ended.then((output) => reject(new Error(output)));
    look();
    await promise.finally(() => {
      clearTimeout(timer);
      guard.stderr.off('data', look);
    });
  };
  return { pid, ended, wrote, close: () => close(guard, pid, ended) };
}

function readPid(guard: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    guard.once('close', () => reject(new Error('The process ended before it had started')));
    guard.once('error', reject);
    if (guard.stdout === null) return;
    createInterface({ input: guard.stdout }).once('line', (line) => resolve(Number(line)));
  });
}

async function close(guard: ChildProcess, pid: Promise<number>, ended: Promise<string>): Promise<void> {
  guard.stdin?.end();
  const timer = setTimeout(() => void kill(guard, pid), closeTimeoutMs);
  await ended;
  clearTimeout(timer);
}

/** For a guard that hangs: kills the guard and the command by their ids. */
async function kill(guard: ChildProcess, pid: Promise<number>): Promise<void> {
  guard.kill('SIGKILL');
  try {
    process.kill(await pid, 'SIGKILL');
  } catch {
    // It never started, or has already ended.
  }
}
