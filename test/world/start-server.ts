import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { promisify } from 'node:util';
import { findFreePort } from '../../tools/local/servers/free-port.ts';
import { startGuarded } from '../support/programs/guarded-process.ts';
import { eventually } from '../support/stack/eventually.ts';
import { servers } from './servers.ts';

const templates = new URL('./templates/', import.meta.url);
const startTimeoutMs = 60_000;
const env = { PATH: `${process.env.PATH}:/usr/sbin` };
const shell = (command: string, cwd = '.') => promisify(execFile)('sh', ['-c', command], { env, cwd });

/** @returns what the programs of a server print about their versions; `null` when one is not installed */
export async function versionsOf(name: string): Promise<string | null> {
  const commands = (servers[name] ?? []).map(({ run, version = '-v' }) => `${run.split(' ')[0]} ${version}`);
  const printed = await Promise.all(commands.map((command) => shell(command))).catch(() => null);
  return printed?.map(({ stdout, stderr }) => (stdout + stderr).split('\n')[0]).join(', ') ?? null;
}

type Settings = { readonly dir: string; readonly keepAlive: number; readonly application: string };

/** Starts a server that ends with `parts`, or with this process. @param settings values for its templates */
export async function startServer(name: string, settings: Settings, parts: AsyncDisposableStack) {
  const { dir } = settings;
  const programs = servers[name] ?? [];
  const pass = programs[0]?.pass ?? 'proxy_pass http://{{application}}';
  const port = await findFreePort();
  const values: Record<string, unknown> = { ...settings, pass, port, app: await findFreePort() };
  const fill = (text: string): string => text.replaceAll(/{{(\w+)}}/g, (_, key) => fill(String(values[key])));
  await mkdir(dir);
  for (const file of await readdir(templates)) {
    await writeFile(`${dir}/${file}`, fill(await readFile(new URL(file, templates), 'utf8')));
  }
  const reloads: string[] = [];
  for (const { run, reload = 'true' } of programs) {
    const args = ['-c', `cd ${dir} && echo begins >&2 && exec ${fill(run)}`];
    const onUnexpectedEnd = (output: string) => process.stderr.write(`${name} ended: ${output}\n`);
    const options = { args, env: { ...env, HOME: dir }, startTimeoutMs, onUnexpectedEnd };
    const { pid } = parts.use(await startGuarded({ command: 'sh', upText: 'begins', ...options }));
    reloads.push(`PID=${pid}; ${reload}`);
  }
  const accepts = () => once(connect(port, '127.0.0.1').resume().end(), 'close');
  await eventually(accepts, { timeout: startTimeoutMs });
  return { port, reload: () => shell(reloads.join('\n'), dir) };
}
