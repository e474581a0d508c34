import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { transform } from 'esbuild';
import { environmentNames } from '#shared/contract/environment.ts';
import { type BundledFolder, smokeFunctionFolder } from '#shared/contract/functions.ts';
import { receivedPostsSchema } from '#shared/contract/received-posts-schema.ts';
import { chunks } from '#shared/domain/chunks.ts';
import { changeSettles } from '#shared/domain/endpoint.ts';
import type { BenchContext } from '../bench.ts';
import { type Bundle, buildBundles, bundleFolder, bundlesIn } from '../build-bundles.ts';
import { openScene, type StackScene, temporaryFolder } from '../stack-scene.ts';
import { eventsFor, type MakeEvent } from './events.ts';
import { type SpawnRequest, type Start, spawnBundle } from './spawn-bundle.ts';

/** A bundle with one measured start in each round. */
export type MeasuredBundle = {
  /** Folder of the function below `functions/`; `empty` for the empty handler. */
  readonly name: string;
  readonly bytes: number;
  readonly starts: readonly Start[];
};

export const emptyName = 'empty';

const defaultRounds = 8;

/** Starts of the empty handler in each round. */
export const emptyStarts = 4;

/** Functions that wait before they answer, so that no worker acts on what it read before. */
const waits: ReadonlySet<string> = new Set(['api/delete-webhook', 'api/rotate-secret']);

function withoutWait({ name }: Bundle, start: Start): Start {
  const wait = waits.has(name) ? changeSettles : 0;
  return { ...start, firstMs: start.firstMs - wait, totalMs: start.totalMs - wait };
}

/** Starts every bundle once in each round, so that noise of the machine meets all of them. */
export async function measureStarts({
  say,
  signal,
  options,
}: BenchContext): Promise<readonly MeasuredBundle[]> {
  const rounds = options.rounds ?? defaultRounds;
  await buildBundles();
  await using parts = new AsyncDisposableStack();
  const folder = await temporaryFolder(parts);
  const bundles = [await emptyBundle(folder), ...(await bundlesIn(bundleFolder))];
  say(`Starting the local stack for ${bundles.length} bundles`);
  const scene = await openScene(parts);
  const request = await requestsFor(scene, await writeRunner(folder), signal);
  const starts = new Map<string, Start[]>(bundles.map(({ file }) => [file, []]));
  for (let round = 1; round <= rounds; round += 1) {
    say(`Round ${round} of ${rounds}`);
    for (const bundle of withEmpty(bundles)) {
      signal.throwIfAborted();
      starts.get(bundle.file)?.push(await spawnBundle(await request(bundle)));
    }
  }
  return await Promise.all(
    bundles.map(async (bundle) => ({
      ...bundle,
      bytes: (await stat(bundle.file)).size,
      starts: (starts.get(bundle.file) ?? []).map((start) => withoutWait(bundle, start)),
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

async function requestsFor(scene: StackScene, runner: string, signal: AbortSignal) {
  const events: Readonly<Record<string, MakeEvent>> = eventsFor(scene);
  const environments: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    [emptyName]: {},
    [smokeFunctionFolder]: await smokeEnvironment(scene),
    [auditFolder]: await auditEnvironment(scene),
  };
  return async ({ name, file }: Bundle): Promise<SpawnRequest> => {
    return {
      runner,
      bundle: file,
      environment: environments[name] ?? scene.environmentOf(name),
      event: (await events[name]?.()) ?? {},
      // It answers an unknown path with an error, as it should.
      mayRefuse: name === 'api/not-found',
      signal,
    };
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
