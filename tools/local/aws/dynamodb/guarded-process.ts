import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const guardFile = fileURLToPath(new URL('./guard.ts', import.meta.url));
const maxKeptErrorText = 4000;

export type GuardedOptions = {
  readonly command: string;
  readonly args: readonly string[];
  /** All variables of the command. */
  readonly env: Readonly<Record<string, string>>;
  /** Text that the command writes to standard error once it is up. */
  readonly upText: string;
  readonly startTimeoutMs: number;
};

export type GuardedProcess = {
  /** Process id of the command itself, not of its guard. */
  readonly pid: number;
  /** Resolves when the command has ended, with the last text it wrote to standard error. */
  readonly ended: Promise<string>;
  /** Asks the command to end, kills it after three seconds, and resolves when it has ended. */
  readonly close: () => Promise<void>;
};

/**
 * Starts a command that cannot outlive this process, and waits until it is up. The command runs in its own session, so
 * that Ctrl-C in the terminal reaches only this process, which ends the command during its own shutdown.
 *
 * @throws Error with its output, when the command ends or the time limit passes first
 */
export async function startGuarded(options: GuardedOptions): Promise<GuardedProcess> {
  const { command, args, env, upText, startTimeoutMs } = options;
  const guard = spawn(process.execPath, [guardFile, command, ...args], { detached: true, env: { ...env } });
  // Nothing is written to the pipe, but it breaks when the guard ends first.
  guard.stdin.on('error', () => {});
  const up = Promise.withResolvers<void>();
  let errorText = '';
  guard.stderr.setEncoding('utf8').on('data', (text: string) => {
    errorText = (errorText + text).slice(-maxKeptErrorText);
    if (errorText.includes(upText)) up.resolve();
  });
  const pid = once(createInterface({ input: guard.stdout }), 'line').then(([line]) => Number(line));
  const ended = once(guard, 'close').then(
    () => errorText.trim(),
    (error: Error) => error.message,
  );
  void ended.then((text) => up.reject(new Error(text)));
  const timer = setTimeout(() => {
    up.reject(new Error(`it did not write "${upText}" within ${startTimeoutMs} ms. ${errorText}`.trim()));
  }, startTimeoutMs);
  const close = async (): Promise<void> => {
    guard.stdin.end();
    await ended;
  };
  try {
    await up.promise;
    return { pid: await pid, ended, close };
  } catch (error) {
    await close();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}
