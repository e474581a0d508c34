import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const guardFile = fileURLToPath(new URL('./guard.ts', import.meta.url));
const maxKeptErrorText = 4000;
const closePatienceMs = 6000;

export type GuardedProcess = {
  /** Process id of the command itself, not of its guard. */
  readonly pid: Promise<number>;
  /** Resolves when the command has ended, with what it wrote to standard error last. */
  readonly ended: Promise<string>;
  /**
   * Waits until the command writes a text to standard error.
   *
   * @throws Error with what it wrote instead, when it ends or lets the time pass.
   */
  said(text: string, patienceMs: number): Promise<void>;
  /** Asks the command to end, insists after some seconds, and resolves when it has. */
  close(): Promise<void>;
};

/**
 * Starts a command that cannot outlive this process. It is in a session of its own, so that Ctrl-C in the
 * terminal reaches only this process, which then ends it in its order.
 */
export function startGuarded(command: string, args: readonly string[]): GuardedProcess {
  const guard = spawn(process.execPath, [guardFile, command, ...args], {
    detached: true,
    env: {},
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  // Writing never happens, but a guard that ends first breaks the pipe.
  guard.stdin.on('error', () => {});
  let errorText = '';
  guard.stderr.setEncoding('utf8').on('data', (text: string) => {
    errorText = (errorText + text).slice(-maxKeptErrorText);
  });
  const pid = readPid(guard);
  // Whoever waits for it sees the failure; nobody has to.
  pid.catch(() => {});
  const ended = new Promise<string>((resolve) => {
    guard.once('close', () => resolve(errorText.trim()));
    guard.once('error', (error) => resolve(error.message));
  });
  const said = async (text: string, patienceMs: number): Promise<void> => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const look = (): void => {
      if (errorText.includes(text)) resolve();
    };
    const giveUp = (): void =>
      reject(new Error(`nothing happened for ${patienceMs} ms. ${errorText}`.trim()));
    const timer = setTimeout(giveUp, patienceMs);
    guard.stderr.on('data', look);
    void ended.then((lastWords) => reject(new Error(lastWords)));
    look();
    await promise.finally(() => {
      clearTimeout(timer);
      guard.stderr.off('data', look);
    });
  };
  return { pid, ended, said, close: () => close(guard, pid, ended) };
}

function readPid(guard: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    guard.once('close', () => reject(new Error('The process ended before it was up')));
    guard.once('error', reject);
    if (guard.stdout === null) return;
    createInterface({ input: guard.stdout }).once('line', (line) => resolve(Number(line)));
  });
}

async function close(guard: ChildProcess, pid: Promise<number>, ended: Promise<string>): Promise<void> {
  guard.stdin?.end();
  const timer = setTimeout(() => void kill(guard, pid), closePatienceMs);
  await ended;
  clearTimeout(timer);
}

/** The guard itself hangs: both are ended by their ids. */
async function kill(guard: ChildProcess, pid: Promise<number>): Promise<void> {
  guard.kill('SIGKILL');
  try {
    process.kill(await pid, 'SIGKILL');
  } catch {
    // It never started, or has ended already.
  }
}
