import { execFile } from 'node:child_process';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { transform } from 'esbuild';
import { z } from 'zod';
import type { BenchContext } from '../bench.ts';
import { buildBundles, bundleFolder } from '../build-bundles.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { openScene, type Subject } from './scene.ts';

/** A bundle with its starts: one in each round. */
export type MeasuredBundle = { readonly name: string; readonly bytes: number; readonly starts: readonly Start[] };

/** Milliseconds of one process that answered one event. */
export type Start = {
  /** From the spawn until the bundle is imported. */
  readonly importMs: number;
  /** From then until the answer. */
  readonly firstMs: number;
  readonly totalMs: number;
  /** Processor time of the process until the answer. */
  readonly cpuMs: number;
  /** What an empty handler took in all, right before. */
  readonly emptyMs: number;
};

const reported = z.object({
  importedAt: z.number(),
  answeredAt: z.number(),
  cpuMs: z.number(),
  answer: z.unknown().optional(),
});

const failed = z.union([
  z.object({ statusCode: z.number().min(400) }),
  z.object({ batchItemFailures: z.array(z.unknown()).min(1) }),
]);

/** Milliseconds after which a start has failed. */
const timeoutMs = 60_000;

const defaultRounds = 20;

/** Starts every bundle once in each round, so that noise of the machine meets all of them. */
export async function measureStarts({ say, signal, options }: BenchContext): Promise<readonly MeasuredBundle[]> {
  const rounds = options.rounds ?? defaultRounds;
  await buildBundles();
  await using parts = new AsyncDisposableStack();
  const folder = await temporaryFolder(parts);
  const runner = await writeRunner(folder);
  const empty = join(folder, 'empty.mjs');
  await writeFile(empty, 'export const handler = async () => ({});\n');
  say('Starting the local stack');
  const subjects = Object.entries(await openScene(parts));
  const starts = new Map<string, Start[]>(subjects.map(([name]) => [name, []]));
  for (let round = 1; round <= rounds; round += 1) {
    say(`Round ${round} of ${rounds}`);
    for (const [name, subject] of subjects) {
      const { totalMs: emptyMs } = await start(runner, empty, emptySubject, signal);
      starts.get(name)?.push({ emptyMs, ...(await start(runner, fileOf(name), subject, signal)) });
    }
  }
  return await Promise.all(
    [...starts].map(async ([name, ofBundle]) => {
      return { name, bytes: (await stat(fileOf(name))).size, starts: ofBundle };
    }),
  );
}

const fileOf = (name: string): string => join(bundleFolder, name, 'index.mjs');

const emptySubject: Subject = { environment: {}, newEvent: async () => ({}) };

/** Writes the runner as JavaScript, like a deployed function: Node.js would spend time on removing its types. */
async function writeRunner(folder: string): Promise<string> {
  const source = await readFile(new URL('./runner.ts', import.meta.url), 'utf8');
  const { code } = await transform(source, { loader: 'ts', target: 'node24' });
  const file = join(folder, 'runner.mjs');
  await writeFile(file, code);
  return file;
}

/** @throws Error with the output of a bundle that answers with a failure */
async function start(runner: string, file: string, { environment, newEvent }: Subject, signal: AbortSignal) {
  const event = JSON.stringify(await newEvent());
  const startedAt = performance.timeOrigin + performance.now();
  const options = { env: { ...environment }, signal, timeout: timeoutMs };
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [runner, file, event], options);
  const lastLine = stdout.slice(stdout.lastIndexOf('\n') + 1);
  const { importedAt, answeredAt, cpuMs, answer } = reported.parse(JSON.parse(lastLine));
  if (failed.safeParse(answer).success) {
    throw new Error(`Cannot measure ${file}: it answered ${lastLine}\n${stdout}${stderr}`);
  }
  const [importMs, firstMs] = [importedAt - startedAt, answeredAt - importedAt];
  return { importMs, firstMs, totalMs: importMs + firstMs, cpuMs };
}
