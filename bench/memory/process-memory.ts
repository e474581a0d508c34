import { readdir, readFile } from 'node:fs/promises';
import { basename } from 'node:path';

export type ProcessMemory = { readonly name: string; readonly bytes: number };

type Process = { readonly pid: number; readonly parent: number };

/**
 * Memory of a process and of everything it started. Shared pages are divided among the processes that share them
 * (PSS), so the sum is the memory of the whole.
 *
 * @returns `null` on systems without `/proc/<pid>/smaps_rollup`: all but Linux
 */
export async function memoryOfTree(root: number): Promise<readonly ProcessMemory[] | null> {
  const processes = await listProcesses().catch(() => null);
  if (processes === null) return null;
  const tree = descendants(root, processes);
  return await Promise.all(tree.map(async (pid) => ({ name: await nameOf(pid), bytes: await pssOf(pid) })));
}

async function listProcesses(): Promise<readonly Process[]> {
  const pids = (await readdir('/proc')).map(Number).filter(Number.isInteger);
  const found = await Promise.all(
    pids.map(async (pid) => {
      // The name in parentheses may contain spaces; the parent follows the state after it.
      const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
      const parent = Number(text.slice(text.lastIndexOf(')')).split(' ')[2]);
      return Number.isInteger(parent) ? [{ pid, parent }] : [];
    }),
  );
  return found.flat();
}

function descendants(root: number, processes: readonly Process[]): readonly number[] {
  const children = processes.filter(({ parent }) => parent === root);
  return [root, ...children.flatMap(({ pid }) => descendants(pid, processes))];
}

/** The program, or the script that Node.js runs. */
async function nameOf(pid: number): Promise<string> {
  const [program = '', ...args] = (await readFile(`/proc/${pid}/cmdline`, 'utf8')).split('\0');
  const script = args.find((arg) => /\.m?[jt]s$/.test(arg));
  return basename(script ?? program);
}

async function pssOf(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8');
  const [, kilobytes = '0'] = /^Pss:\s+(\d+) kB$/m.exec(text) ?? [];
  return Number(kilobytes) * 1024;
}
