import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { type StackFile, stackFileSchema } from '../../../tools/local/stack/stack-file.ts';
import { eventually } from './eventually.ts';

const repository = fileURLToPath(new URL('../../..', import.meta.url));

/** A folder to run the project's commands in, so that tests share no state with the developer's own stack. */
export type Workplace = { readonly dir: string; readonly stackFile: string; remove(): Promise<void> };

export async function createWorkplace(): Promise<Workplace> {
  const dir = await mkdtemp(join(tmpdir(), 'e2e-'));
  await Promise.all(['bin', 'tmp'].map((name) => mkdir(join(dir, name))));
  for (const name of await readdir(join(repository, 'bin'))) {
    await symlink(join(repository, 'bin', name), join(dir, 'bin', name));
  }
  await symlink(join(repository, 'node_modules'), join(dir, 'node_modules'));
  await cp(join(repository, 'package.json'), join(dir, 'package.json'));
  return {
    dir,
    stackFile: join(dir, '.local', 'stack.json'),
    remove: () => rm(dir, { recursive: true, force: true }),
  };
}

/** One command in a new process group, as a terminal starts it. */
export class Program {
  readonly pid: number;
  readonly #child: ChildProcess;
  readonly #exited: Promise<number | null>;
  #output = '';

  private constructor(child: ChildProcess, pid: number) {
    this.#child = child;
    this.pid = pid;
    this.#exited = once(child, 'close').then(() => child.exitCode);
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.#output += text;
      });
    }
  }

  static async start(
    command: string,
    args: readonly string[],
    options: { readonly cwd: string; readonly env?: Readonly<Record<string, string>> },
  ): Promise<Program> {
    const child = spawn(command, args, {
      cwd: options.cwd,
      env: {
        ...process.env,
        // Files that a killed program leaves behind are removed with the workplace.
        TMPDIR: join(options.cwd, 'tmp'),
        // npm must not look for a newer version of itself.
        npm_config_update_notifier: 'false',
        ...options.env,
      },
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    await once(child, 'spawn');
    if (child.pid === undefined) throw new Error(`${command} did not start`);
    return new Program(child, child.pid);
  }

  /** Everything that the command wrote to standard output and standard error. */
  get output(): string {
    return this.#output;
  }

  /** Resolves when the command has ended and its output is complete. @returns the exit code, `null` after a signal */
  exited(): Promise<number | null> {
    return this.#exited;
  }

  async printed(text: string): Promise<void> {
    await eventually(async () => {
      if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
      expect(this.#output).toContain(text);
    });
    expect(this.#output).toContain(text);
  }

  /** Interrupts the command, as Ctrl-C does. */
  interrupt(): void {
    process.kill(-this.pid, 'SIGINT');
  }

  /** Closes the reading end of its output, as the end of a terminal or of a pipe's reader does. */
  closeOutput(): void {
    this.#child.stdout?.destroy();
    this.#child.stderr?.destroy();
  }

  /** Kills this process alone, as `kill -9` does. */
  kill(): void {
    this.#child.kill('SIGKILL');
  }
}

export type StackProgram = { readonly program: Program; readonly info: StackFile };

/** Runs the stack's command, and returns its stack file once it is ready. */
export async function startStackProgram(
  workplace: Workplace,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<StackProgram> {
  const program = Program.start(process.execPath, ['bin/local.ts', ...args], { cwd: workplace.dir, env });
  return await whenReady(workplace, await program);
}

/** Waits for a launched stack; ends one that does not become ready. */
export async function whenReady({ stackFile }: Workplace, program: Program): Promise<StackProgram> {
  try {
    await program.printed('Ready after');
  } catch (error) {
    program.kill();
    throw error;
  }
  return { program, info: stackFileSchema.parse(JSON.parse(await readFile(stackFile, 'utf8'))) };
}

/** Ids of a process and of all its descendants. */
export async function processTree(root: number): Promise<readonly number[]> {
  const all = await processes();
  const tree = [root];
  for (const member of tree) {
    for (const { pid, parent } of all) if (parent === member) tree.push(pid);
  }
  return tree;
}

/**
 * Kills a program and all its descendants with `kill -9`, as if at one moment: stops all of them first, so that none
 * starts another or notices that one is gone.
 */
export async function killTree(program: Program): Promise<void> {
  const stopped = new Set<number>();
  for (let found = await processTree(program.pid); ; found = await processTree(program.pid)) {
    const news = found.filter((pid) => !stopped.has(pid));
    if (news.length === 0) break;
    for (const pid of news) {
      stopped.add(pid);
      sendSignal(pid, 'SIGSTOP');
    }
  }
  for (const pid of stopped) sendSignal(pid, 'SIGKILL');
  await program.exited();
  await allEnded([...stopped]);
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended by itself.
  }
}

/** Waits until none of the processes is left. A zombie counts as ended. */
export async function allEnded(pids: readonly number[]): Promise<void> {
  await eventually(async () => {
    const left = (await processes()).filter(({ pid, state }) => pids.includes(pid) && !state.startsWith('Z'));
    expect(left).toEqual([]);
  });
}

type Process = { readonly pid: number; readonly parent: number; readonly state: string };

/** All processes of the machine. Small images of Linux have no `ps`, and other systems have no `/proc`. */
async function processes(): Promise<readonly Process[]> {
  const rows = process.platform === 'linux' ? await rowsOfProc() : await rowsOfPs();
  return rows.map(([pid, parent, state = '']) => ({ pid: Number(pid), parent: Number(parent), state }));
}

async function rowsOfPs(): Promise<readonly string[][]> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid=,stat=']);
  return stdout.split('\n').map((line) => line.trim().split(/\s+/));
}

async function rowsOfProc(): Promise<readonly string[][]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  return await Promise.all(
    pids.map(async (pid) => {
      const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
      if (text === '') return [];
      // The command before them may itself hold spaces and parentheses.
      const [state = '', parent = ''] = text.slice(text.lastIndexOf(')') + 2).split(' ');
      return [pid, parent, state];
    }),
  );
}
