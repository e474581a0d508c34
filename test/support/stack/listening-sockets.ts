import { readdir, readFile, readlink } from 'node:fs/promises';
import { processTree } from './stack-process.ts';

/** An address on which a process accepts TCP connections. */
export type ListeningSocket = { readonly host: string; readonly port: number };

const listening = '0A';

/** The addresses on which a process or a descendant accepts TCP connections, as the kernel lists them. */
export async function listeningSockets(root: number): Promise<readonly ListeningSocket[]> {
  const pids = await processTree(root);
  const open = new Set((await Promise.all(pids.map(socketInodes))).flat());
  const tables = await Promise.all(['tcp', 'tcp6'].map((name) => readFile(`/proc/net/${name}`, 'utf8')));
  return tables.flatMap((table) =>
    table
      .split('\n')
      .slice(1)
      .map((line) => line.trim().split(/\s+/))
      .filter((fields) => fields[3] === listening && open.has(fields[9] ?? ''))
      .map((fields) => parseAddress(fields[1] ?? '')),
  );
}

async function socketInodes(pid: number): Promise<readonly string[]> {
  const folder = `/proc/${pid}/fd`;
  // A process that has just ended has no open files.
  const files = await readdir(folder).catch(() => []);
  const targets = await Promise.all(files.map((file) => readlink(`${folder}/${file}`).catch(() => '')));
  return targets.flatMap((target) => /^socket:\[(\d+)\]$/.exec(target)?.[1] ?? []);
}

/** The kernel writes an IPv4 address as one number in the byte order of the machine. */
function parseAddress(text: string): ListeningSocket {
  const [address = '', port = ''] = text.split(':');
  const bytes = Buffer.from(address, 'hex');
  const host = bytes.length === 4 ? bytes.reverse().join('.') : `[${address}]`;
  return { host, port: Number.parseInt(port, 16) };
}
