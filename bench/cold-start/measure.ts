import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { gzipSync } from 'node:zlib';
import { environmentNames } from '#shared/contract/environment.ts';
import { type BundledFolder, smokeFunctionFolder } from '#shared/contract/functions.ts';
import { receivedPostsSchema } from '#shared/contract/received-posts-schema.ts';
import { chunks } from '#shared/domain/chunks.ts';
import { changeSettles } from '#shared/domain/endpoint.ts';
import { createServiceClient } from '../../local/stack/service-client.ts';
import type { BenchContext } from '../bench.ts';
import { buildBundles, bundleFolder } from '../build-bundles.ts';
import { createTable } from '../growth/emulator-table.ts';
import { openScene, type StackScene, temporaryFolder } from '../stack-scene.ts';
import { writeProgram } from '../write-program.ts';
import { eventsFor, type MakeEvent } from './events.ts';
import { type SpawnRequest, type Start, spawnBundle } from './spawn-bundle.ts';

/** A bundle with one measured start in each round. */
export type MeasuredBundle = {
  /** Folder of the function below `functions/`; `empty` for the empty handler. */
  readonly name: string;
  /** Whether it belongs to the other build. */
  readonly isOther: boolean;
  readonly bytes: number;
  readonly gzipBytes: number;
  readonly starts: readonly Start[];
};

export const emptyName = 'empty';

const rounds = 8;

/** Starts of the empty handler in each round. */
export const emptyStarts = 4;
const emptyHandler = 'export const handler = async () => ({});\n';

/** Functions that wait before they answer, so that no worker acts on what it read before; milliseconds. */
const waits: Readonly<Record<string, number>> = {
  'api/delete-webhook': changeSettles,
  'api/rotate-secret': changeSettles,
};

function withoutWait({ name }: Subject, start: Start): Start {
  const wait = waits[name] ?? 0;
  return { ...start, firstMs: start.firstMs - wait, totalMs: start.totalMs - wait };
}

/** Functions that answer an unknown path with an error, as they should. */
const refuses: ReadonlySet<string> = new Set(['api/not-found']);

type Subject = Pick<MeasuredBundle, 'name' | 'isOther'> & { readonly file: string };

/** Starts every bundle once in each round, so that noise of the machine meets all of them. */
export async function measureStarts({
  say,
  signal,
  options,
}: BenchContext): Promise<readonly MeasuredBundle[]> {
  await buildBundles();
  await using parts = new AsyncDisposableStack();
  const folder = await temporaryFolder(parts);
  const subjects = [await emptySubject(folder), ...(await allSubjects(options.against))];
  say(`Starting the local stack for ${subjects.length} bundles`);
  const scene = await openScene(parts);
  const request = await requestsFor(
    scene,
    await writeProgram(new URL('./runner.ts', import.meta.url), folder),
    signal,
  );
  const starts = new Map(subjects.map(({ file }) => [file, [] as Start[]]));
  for (let round = 1; round <= rounds; round += 1) {
    say(`Round ${round} of ${rounds}`);
    for (const subject of withEmpty(subjects)) {
      signal.throwIfAborted();
      starts.get(subject.file)?.push(await spawnBundle(await request(subject)));
    }
  }
  return await Promise.all(
    subjects.map(async (subject) => ({
      ...subject,
      ...(await sizesOf(subject.file)),
      starts: (starts.get(subject.file) ?? []).map((start) => withoutWait(subject, start)),
    })),
  );
}

/** The empty handler, the base of all ratios, starts several times in each round. */
function withEmpty([empty, ...rest]: readonly Subject[]): readonly Subject[] {
  if (empty === undefined) return rest;
  return chunks(rest, Math.ceil(rest.length / emptyStarts)).flatMap((some) => [empty, ...some]);
}

async function emptySubject(folder: string): Promise<Subject> {
  const file = join(folder, emptyName, 'index.mjs');
  await mkdir(dirname(file));
  await writeFile(file, emptyHandler);
  return { name: emptyName, isOther: false, file };
}

async function allSubjects(against: string | null): Promise<readonly Subject[]> {
  const own = await subjectsIn(bundleFolder, false);
  return against === null ? own : [...own, ...(await subjectsIn(against, true))];
}

/** @throws Error when the folder holds no bundles */
async function subjectsIn(root: string, isOther: boolean): Promise<readonly Subject[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const files = entries.filter(({ name }) => name === 'index.mjs').map(({ parentPath }) => parentPath);
  if (files.length === 0) throw new Error(`Cannot measure ${root}: it holds no <function>/index.mjs`);
  return files
    .toSorted()
    .map((folder) => ({ name: relative(root, folder), isOther, file: join(folder, 'index.mjs') }));
}

async function requestsFor(scene: StackScene, runner: string, signal: AbortSignal) {
  const events: Readonly<Record<string, MakeEvent>> = { ...eventsFor(scene), [emptyName]: async () => ({}) };
  const environments: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    [emptyName]: {},
    [smokeFunctionFolder]: await smokeEnvironment(scene),
    [auditFolder]: await auditEnvironment(scene),
  };
  return async ({ name, file }: Subject): Promise<SpawnRequest> => {
    const makeEvent = events[name];
    // Another build may have functions that this one has not.
    if (makeEvent === undefined) throw new Error(`Cannot measure "${name}": this build has no such function`);
    return {
      runner,
      bundle: file,
      environment: environments[name] ?? scene.environmentOf(name),
      event: await makeEvent(),
      mayRefuse: refuses.has(name),
      signal,
    };
  };
}

const auditFolder: BundledFolder = 'schedule/audit';

/** An audit reads every endpoint, and each round of the benchmark makes more of them: this one finds none. */
async function auditEnvironment({ stack, environmentOf }: StackScene) {
  const name = 'audited';
  await createTable(stack.info.endpoints.dynamodb, name);
  return { ...environmentOf(auditFolder), [environmentNames.tableName]: name };
}

/** The receiver of smoke tests belongs to no stage, and has another table. */
async function smokeEnvironment({ stack, environmentOf }: StackScene) {
  const name = 'received';
  const { partitionKey, sortKey } = receivedPostsSchema;
  const { call, close } = createServiceClient('dynamodb', stack.info.endpoints.dynamodb);
  await call('CreateTable', {
    TableName: name,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [partitionKey, sortKey].map((key) => ({ AttributeName: key, AttributeType: 'S' })),
    KeySchema: [
      { AttributeName: partitionKey, KeyType: 'HASH' },
      { AttributeName: sortKey, KeyType: 'RANGE' },
    ],
  }).finally(close);
  return { ...environmentOf('api/list-webhooks'), [environmentNames.tableName]: name };
}

async function sizesOf(file: string) {
  return { bytes: (await stat(file)).size, gzipBytes: gzipSync(await readFile(file)).length };
}
