import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { bundlesIn } from '../build-bundles.ts';
import { temporaryFolder } from '../stack-scene.ts';
import type { Forwarding } from './forward.ts';

const program = fileURLToPath(new URL('./function-main.ts', import.meta.url));

/** Functions that run in a process each. */
const measured: readonly string[] = ['queue/intake', 'queue/deliver', 'queue/deliver-slow'];

/** Milliseconds between the times at which a process writes how many requests it has made. */
const callsEvery = 500;

/**
 * Makes bundles of a build, for a local stack that runs the functions of the pipeline in processes of their own.
 *
 * @param caFile authority of the endpoints
 */
export async function functionProcesses(parts: AsyncDisposableStack, buildFolder: string, caFile: string) {
  const folder = await temporaryFolder(parts);
  const pidFile = (name: string) => join(folder, name, 'pid');
  const callsFile = (name: string) => join(folder, name, 'calls');
  for (const { name, file } of await bundlesIn(buildFolder)) {
    await mkdir(join(folder, name), { recursive: true });
    const forwarded = forwarding({
      program,
      bundle: file,
      caFile,
      pidFile: pidFile(name),
      callsFile: callsFile(name),
      callsEvery,
    });
    const code = measured.includes(name) ? forwarded : `export * from '${file}';\n`;
    await writeFile(join(folder, name, 'index.mjs'), code);
  }
  return {
    bundleFolder: folder,
    /** Milliseconds of CPU time of all processes since their start. */
    cpuMs: () => sumOf((name) => cpuMsOf(pidFile(name))),
    /** Megabytes of memory that all processes hold. */
    megabytes: () => sumOf((name) => megabytesOf(pidFile(name))),
    /** Requests of all processes to DynamoDB since their start. */
    tableCalls: async () => {
      await setTimeout(2 * callsEvery);
      return await sumOf(async (name) => Number(await readFile(callsFile(name), 'utf8').catch(() => 0)));
    },
  };
}

async function sumOf(figure: (name: string) => Promise<number>): Promise<number> {
  const figures = await Promise.all(measured.map(figure));
  return figures.reduce((sum, each) => sum + each, 0);
}

function forwarding(options: Forwarding): string {
  const { href } = new URL('./forward.ts', import.meta.url);
  return `import { forwardTo } from '${href}';\nexport const handler = forwardTo(${JSON.stringify(options)});\n`;
}

/** Linux reports processor time in ticks of 10 ms. */
const tickMs = 10;

/** User and system time of a process. */
async function cpuMsOf(pidFile: string): Promise<number> {
  const stat = await readOfProcess(pidFile, 'stat');
  // The name in parentheses may contain spaces; user and system time are fields 14 and 15.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) * tickMs;
}

async function megabytesOf(pidFile: string): Promise<number> {
  const status = await readOfProcess(pidFile, 'status');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) / 1_024;
}

/** What Linux says of a process; nothing for a function that no event has started yet. */
async function readOfProcess(pidFile: string, name: 'stat' | 'status'): Promise<string> {
  const pid = await readFile(pidFile, 'utf8').catch(() => null);
  return pid === null ? '' : await readFile(`/proc/${pid}/${name}`, 'utf8');
}
