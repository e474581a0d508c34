import { execFile } from 'node:child_process';
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { transform } from 'esbuild';
import { z } from 'zod';
import { environmentNames } from '#shared/contract/environment.ts';
import { type BundledFolder, smokeFunctionFolder } from '#shared/contract/functions.ts';
import { receivedPostsSchema } from '#shared/contract/received-posts-schema.ts';
import { chunks } from '#shared/domain/chunks.ts';
import { changeSettles } from '#shared/domain/endpoint.ts';
import type { BenchContext } from '../bench.ts';
import { type Bundle, buildBundles, bundleFolder, bundlesIn } from '../build-bundles.ts';
import { openScene, type StackScene, temporaryFolder } from '../stack-scene.ts';
import { eventsFor, type MakeEvent } from './events.ts';

/** A bundle with one measured start in each round. */
export type MeasuredBundle = Awaited<ReturnType<typeof measureStarts>>[number];

/** Milliseconds of one process that answered one event. */
export type Start = {
  /** From the spawn until the bundle is imported. */
  readonly importMs: number;
  /** From then until the answer. */
  readonly firstMs: number;
  readonly totalMs: number;
  /** Processor time of the process until the answer. */
  readonly cpuMs: number;
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

/** The empty handler has this name in the place of the folder of a function. */
export const emptyName = 'empty';

const defaultRounds = 8;

/** Starts of the empty handler in each round. */
export const emptyStarts = 4;

/** Functions that wait before they answer, so that no worker acts on what it read before. Their wait is left out. */
const waits: ReadonlySet<string> = new Set(['api/delete-webhook', 'api/rotate-secret']);

/** Starts every bundle once in each round, so that noise of the machine meets all of them. */
export async function measureStarts({ say, signal, options }: BenchContext) {
  const rounds = options.rounds ?? defaultRounds;
  await buildBundles();
  await using parts = new AsyncDisposableStack();
  const folder = await temporaryFolder(parts);
  const bundles = [await emptyBundle(folder), ...(await bundlesIn(bundleFolder))];
  say(`Starting the local stack for ${bundles.length} bundles`);
  const scene = await openScene(parts);
  const start = await startsOn(scene, await writeRunner(folder), signal);
  const starts = new Map<string, Start[]>(bundles.map(({ file }) => [file, []]));
  for (let round = 1; round <= rounds; round += 1) {
    say(`Round ${round} of ${rounds}`);
    for (const bundle of withEmpty(bundles)) {
      signal.throwIfAborted();
      starts.get(bundle.file)?.push(await start(bundle));
    }
  }
  return await Promise.all(
    bundles.map(async (bundle) => ({
      ...bundle,
      bytes: (await stat(bundle.file)).size,
      starts: starts.get(bundle.file) ?? [],
    })),
  );
}

/** The empty handler, the base of all ratios, starts several times in each round. */
function withEmpty([empty, ...rest]: readonly Bundle[]): readonly Bundle[] {
  if (empty === undefined) return rest;
  return chunks(rest, Math.ceil(rest.length / emptyStarts)).flatMap((some) => [empty, ...some]);
}

/** Writes the runner as JavaScript, like a deployed function: Node.js would spend time on removing its types. */
async function writeRunner(folder: string): Promise<string> {
  const source = await readFile(new URL('./runner.ts', import.meta.url), 'utf8');
  const { code } = await transform(source, { loader: 'ts', target: 'node24' });
  const file = join(folder, 'runner.mjs');
  await writeFile(file, code);
  return file;
}

async function emptyBundle(folder: string): Promise<Bundle> {
  const file = join(folder, emptyName, 'index.mjs');
  await mkdir(dirname(file));
  await writeFile(file, 'export const handler = async () => ({});\n');
  return { name: emptyName, file };
}

/** @returns what starts a bundle with an event of its own, and throws with its output when it answers with a failure */
async function startsOn(scene: StackScene, runner: string, signal: AbortSignal) {
  const events: Readonly<Record<string, MakeEvent>> = eventsFor(scene);
  const environments: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    [emptyName]: {},
    [smokeFunctionFolder]: await smokeEnvironment(scene),
    [auditFolder]: await auditEnvironment(scene),
  };
  return async ({ name, file }: Bundle): Promise<Start> => {
    const environment = environments[name] ?? scene.environmentOf(name);
    const event = JSON.stringify((await events[name]?.()) ?? {});
    const startedAt = performance.timeOrigin + performance.now();
    const options = { env: { ...environment }, signal, timeout: timeoutMs };
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [runner, file, event], options);
    const lastLine = stdout.slice(stdout.lastIndexOf('\n') + 1);
    const { importedAt, answeredAt, cpuMs, answer } = reported.parse(JSON.parse(lastLine));
    // An unknown path is answered with an error, as it should be.
    if (name !== 'api/not-found' && failed.safeParse(answer).success) {
      throw new Error(`Cannot measure ${file}: it answered ${lastLine}\n${stdout}${stderr}`);
    }
    const wait = waits.has(name) ? changeSettles : 0;
    const [importMs, firstMs] = [importedAt - startedAt, answeredAt - importedAt - wait];
    return { importMs, firstMs, totalMs: importMs + firstMs, cpuMs };
  };
}

const auditFolder: BundledFolder = 'schedule/audit';

/** An audit reads every endpoint, and each round of the benchmark makes more of them: this one finds none. */
async function auditEnvironment({ createTable, environmentOf }: StackScene) {
  const { name } = await createTable('audited');
  return { ...environmentOf(auditFolder), [environmentNames.tableName]: name };
}

/** The receiver of smoke tests belongs to no stage, and has another table. */
async function smokeEnvironment({ createTable, environmentOf }: StackScene) {
  const { partitionKey, sortKey } = receivedPostsSchema;
  const { name } = await createTable('received', {
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [partitionKey, sortKey].map((key) => ({ AttributeName: key, AttributeType: 'S' })),
    KeySchema: [
      { AttributeName: partitionKey, KeyType: 'HASH' },
      { AttributeName: sortKey, KeyType: 'RANGE' },
    ],
  });
  return { ...environmentOf('api/list-webhooks'), [environmentNames.tableName]: name };
}
