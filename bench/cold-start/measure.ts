import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { gzipSync } from 'node:zlib';
import { chunks } from '#shared/domain/chunks.ts';
import { changeSettles } from '#shared/domain/endpoint.ts';
import type { BenchContext } from '../bench.ts';
import { buildBundles, bundleFolder } from '../build-bundles.ts';
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

/** @throws Error for a function without an event: add one to events.ts */
async function requestsFor(scene: StackScene, runner: string, signal: AbortSignal) {
  const events: Readonly<Record<string, MakeEvent>> = { ...eventsFor(scene), [emptyName]: async () => ({}) };
  return async ({ name, file }: Subject): Promise<SpawnRequest> => {
    const makeEvent = events[name];
    if (makeEvent === undefined) throw new Error(`Cannot measure "${name}": it has no event in events.ts`);
    return {
      runner,
      bundle: file,
      environment: name === emptyName ? {} : scene.environmentOf(name),
      event: await makeEvent(),
      mayRefuse: refuses.has(name),
      signal,
    };
  };
}

async function sizesOf(file: string) {
  return { bytes: (await stat(file)).size, gzipBytes: gzipSync(await readFile(file)).length };
}
