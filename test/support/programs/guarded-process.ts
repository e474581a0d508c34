import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const guardFile = fileURLToPath(new URL('./guard.ts', import.meta.url));
const maxKeptErrorText = 4000;

/**
 * Starts a command that cannot outlive this process, and waits until it is up. The command runs in its own session, so
 * that Ctrl-C in the terminal reaches only this process, which ends the command during its own shutdown.
 *
 * @returns the process id of the command itself, not of its guard. Disposal asks the command to end, kills it after
 *   three seconds, and resolves when it has ended
 * @throws Error with its output, when the command ends or the time limit passes first
 */
export async function startGuarded(options: {
  readonly command: string;
  readonly args: readonly string[];
  /** All variables of the command. */
  readonly env: Readonly<Record<string, string>>;
  /** Text that the command writes to standard error once it is up. */
  readonly upText: string;
  readonly startTimeoutMs: number;
  /** Called with the last text that the command wrote to standard error, when it ended by itself after it was up. */
  readonly onUnexpectedEnd?: ((output: string) => void) | undefined;
}) {
  const { command, args, env, upText, startTimeoutMs, onUnexpectedEnd } = options;
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
  let closing = false;
  const close = async (): Promise<void> => {
    closing = true;
    guard.stdin.end();
    await ended;
  };
  try {
    await up.promise;
    void ended.then((text) => {
      if (!closing) onUnexpectedEnd?.(text);
    });
    return { pid: await pid, [Symbol.asyncDispose]: close };
  } catch (error) {
    await close();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}
