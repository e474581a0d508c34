import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { bundlesIn } from '../build-bundles.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { callsEvery, type Forwarding } from './forward.ts';

/** Functions that run in a process each. */
const measured: readonly string[] = ['queue/intake', 'queue/deliver', 'queue/deliver-slow'];

/**
 * Makes bundles of a build, for a local stack that runs the functions of the pipeline in processes of their own.
 *
 * @param caFile authority of the endpoints
 */
export async function functionProcesses(parts: AsyncDisposableStack, buildFolder: string, caFile: string) {
  const root = await temporaryFolder(parts);
  for (const { name, file: bundle } of await bundlesIn(buildFolder)) {
    const folder = join(root, name);
    await mkdir(folder, { recursive: true });
    const isMeasured = measured.includes(name);
    const code = isMeasured ? forwarding({ bundle, caFile, folder }) : `export * from ${JSON.stringify(bundle)};\n`;
    await writeFile(join(folder, 'index.mjs'), code);
  }
  const sumOf = async (figure: (folder: string) => Promise<number>) => {
    const figures = await Promise.all(measured.map((name) => figure(join(root, name))));
    return figures.reduce((sum, each) => sum + each, 0);
  };
  return {
    bundleFolder: root,
    /** Milliseconds of CPU time of all processes since their start. */
    cpuMs: () => sumOf(cpuMsOf),
    /** Megabytes of memory that all processes hold. */
    megabytes: () => sumOf(megabytesOf),
    /** Requests of all processes to DynamoDB since their start. */
    tableCalls: async () => {
      await setTimeout(2 * callsEvery);
      return await sumOf(async (folder) => Number(await readFile(join(folder, 'calls'), 'utf8').catch(() => 0)));
    },
  };
}

function forwarding(options: Forwarding): string {
  const { href } = new URL('./forward.ts', import.meta.url);
  return `import { forwardTo } from ${JSON.stringify(href)};\nexport const handler = forwardTo(${JSON.stringify(options)});\n`;
}

/** Linux reports processor time in ticks of 10 ms. */
const tickMs = 10;

/** User and system time of a process. */
async function cpuMsOf(folder: string): Promise<number> {
  const stat = await readOfProcess(folder, 'stat');
  // The name in parentheses may contain spaces; user and system time are fields 14 and 15.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) * tickMs;
}

async function megabytesOf(folder: string): Promise<number> {
  const status = await readOfProcess(folder, 'status');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) / 1_024;
}

/** What Linux says of a process; nothing for a function that no event has started yet. */
async function readOfProcess(folder: string, name: 'stat' | 'status'): Promise<string> {
  const pid = await readFile(join(folder, 'pid'), 'utf8').catch(() => null);
  return pid === null ? '' : await readFile(`/proc/${pid}/${name}`, 'utf8');
}
