import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { changeReportKey } from '#shared/aws/table/keys.ts';
import {
  readRun,
  readRuns,
  storeOpenRun,
  storeSettledRun,
  storeSettledRunWithFanOut,
} from '#shared/aws/table/runs.ts';
import {
  readChangeReports,
  readTracker,
  storeChangeReport,
  storeTracker,
} from '#shared/aws/table/trackers.ts';
import {
  isCreatorKnown,
  readCreatorVideos,
  readRunItems,
  storeCreatorVideos,
  storeRunItems,
} from '#shared/aws/table/videos.ts';
import {
  type ListQuery,
  type ListRunItemsQuery,
  type Page,
  presentPage,
} from '#shared/contract/list-query.ts';
import { presentChangeReport } from '#shared/contract/records/change-report.ts';
import type { VideoItem } from '#shared/contract/records/given-results.ts';
import { presentRun } from '#shared/contract/records/run.ts';
import type { Creator } from '#shared/domain/creator.ts';
import { listChangeReports } from '#shared/operations/customer/list-change-reports.ts';
import { listCreatorVideos } from '#shared/operations/customer/list-creator-videos.ts';
import { listRunItems } from '#shared/operations/customer/list-run-items.ts';
import { listRuns } from '#shared/operations/customer/list-runs.ts';
import { createCursors } from '#shared/runtime/cursors.ts';
import { useTable } from '../support/aws/table.ts';
import { countingBytes } from '../support/operations/deps.ts';
import {
  buildOpenRun,
  buildReport,
  buildSettledRun,
  buildTracker,
  buildVideo,
  isoTime,
  someScores,
} from '../support/values/stored-results.ts';

const { current } = useTable();

const backoff = { wait: async () => {}, random: () => 0 };
const cursors = createCursors({
  readSecret: async () => new Uint8Array(32).fill(1),
  randomBytes: countingBytes(),
});
const customer = 'cus_1';
const stranger = 'cus_2';
const creator = { platform: 'tiktok', handle: 'maker' };
const baseUrl = 'https://api.example.com';
const fanOut = { eventId: 'evt_1', acceptedAt: 0, deliveries: [] };

const eventRun = { id: 'run_1', kind: 'tracker_cycle', status: 'completed', chargeUsd: 0.1, trackerId: null };

const storeReport = (trackerId: string, report: ReturnType<typeof buildReport>) =>
  storeChangeReport(current())(customer, { trackerId, report, run: eventRun }, fanOut);

/** The lists as the handlers wire and present them, with real cursors. */
function lists() {
  const table = current();
  const runs = listRuns({ cursors, readRuns: readRuns(table, backoff) });
  const items = listRunItems({ cursors, readRun: readRun(table), readRunItems: readRunItems(table) });
  const changes = listChangeReports({
    cursors,
    readTracker: readTracker(table),
    readChangeReports: readChangeReports(table),
  });
  const videos = listCreatorVideos({
    cursors,
    supportedPlatforms: new Set(['tiktok', 'youtube']),
    readCreatorVideos: readCreatorVideos(table, backoff),
    isCreatorKnown: isCreatorKnown(table),
  });
  return {
    runs: async (customerId: string, query: ListQuery) =>
      presentPage(await runs(customerId, query), (run) => presentRun(run, { baseUrl, docsUrl: baseUrl })),
    items: async (customerId: string, runId: string, query: ListRunItemsQuery) =>
      presentPage(await items(customerId, runId, query), (video) => video),
    changes: async (customerId: string, trackerId: string, query: ListQuery) =>
      presentPage(await changes(customerId, trackerId, query), (report) =>
        presentChangeReport(report, trackerId, baseUrl),
      ),
    videos: async (customerId: string, of: Creator, query: ListQuery) =>
      presentPage(await videos(customerId, of, query), (video) => video),
  };
}

type ListOf<T> = (query: ListQuery) => Promise<Page<T>>;

/** Walks a whole list; `between` runs after each page. */
async function walk<T>(list: ListOf<T>, limit: number, between: () => Promise<void> = async () => {}) {
  const pages: (readonly T[])[] = [];
  let cursor: string | undefined;
  do {
    const page: Page<T> = await list({ limit, cursor });
    pages.push(page.items);
    cursor = page.next_cursor ?? undefined;
    await between();
  } while (cursor !== undefined);
  return pages;
}

const idsOf = (items: readonly { readonly id: string }[]) => items.map(({ id }) => id);

/** One row of a list that a property test makes: its number is its id, its time has few values, so that many tie. */
type Row = { readonly id: number; readonly time: number };

const newestFirst = (rows: readonly Row[]): readonly number[] =>
  rows
    .toSorted((left, right) => right.time - left.time || (nameOf(left) < nameOf(right) ? 1 : -1))
    .map(({ id }) => id);
const nameOf = ({ id }: Row) => String(id).padStart(3, '0');

/** What is there before a walk, and what is added after each of its pages. */
const walks = fc
  .uniqueArray(fc.record({ id: fc.nat(999), time: fc.nat(9) }), {
    selector: ({ id }) => id,
    maxLength: 40,
  })
  .chain((rows) =>
    fc.record({
      rows: fc.constant(rows),
      split: fc.nat(rows.length),
      step: fc.integer({ min: 1, max: 5 }),
      limit: fc.integer({ min: 1, max: 9 }),
    }),
  );

type Walk = typeof walks extends fc.Arbitrary<infer W> ? W : never;

/** Every row that was there is seen once, in order; what was added is in its place or not there. */
async function checkWalk(
  { rows, split, step, limit }: Walk,
  { store, list }: Awaited<ReturnType<MakeList>>,
): Promise<void> {
  const before = rows.slice(0, split);
  const added = rows.slice(split);
  await store(before);

  const pages = await walk(list, limit, () => store(added.splice(0, step)));

  const seen = pages.flat().map(numberIn);
  const known = new Set(before.map(({ id }) => id));
  expect(seen.filter((id) => known.has(id))).toEqual(newestFirst(before));
  expect(new Set(seen).size).toBe(seen.length);
  expect(seen).toEqual(newestFirst(rows.filter(({ id }) => seen.includes(id))));
}

const numberIn = ({ id }: { readonly id: string }): number => Number(/\d+$/.exec(id)?.[0]);
const timeOf = ({ time }: Row) => isoTime(time * 1000);
const videoOf = (row: Row): VideoItem => buildVideo({ id: `v${nameOf(row)}`, posted_at: timeOf(row) });

/** Makes a list that is empty so far, with a way to store rows in it. */
type MakeList = (name: string) => Promise<{
  readonly store: (rows: readonly Row[]) => Promise<void>;
  readonly list: ListOf<{ readonly id: string }>;
}>;

describe('a walk while rows are added returns each row that was there exactly once', () => {
  let attempt = 0;

  it.each<[string, MakeList]>([
    [
      'Runs',
      async (name) => ({
        store: async (rows) => {
          for (const row of rows) {
            const head = { id: `run_${nameOf(row)}`, created_at: timeOf(row) };
            if (row.id % 2 === 0) await storeOpenRun(current())(name, buildOpenRun(head));
            else await storeSettledRun(current())(name, buildSettledRun(head));
          }
        },
        list: (query) => lists().runs(name, query),
      }),
    ],
    [
      'the items of a Run',
      async (name) => {
        await storeSettledRun(current())(customer, buildSettledRun({ id: name }));
        return {
          store: (rows) => storeRunItems(current(), backoff)(customer, name, rows.map(videoOf)),
          list: (query) => lists().items(customer, name, { ...query, type: 'videos' }),
        };
      },
    ],
    [
      'Change Reports',
      async (name) => {
        await storeTracker(current())(customer, buildTracker({ id: name }));
        return {
          store: async (rows) => {
            for (const row of rows) {
              const report = buildReport({ id: `${name}_${nameOf(row)}`, created_at: timeOf(row) });
              await storeReport(name, report);
            }
          },
          list: (query) => lists().changes(customer, name, query),
        };
      },
    ],
    [
      "a creator's videos",
      async (name) => {
        const of = { platform: 'tiktok', handle: name };
        return {
          store: (rows) => storeCreatorVideos(current())(customer, of, rows.map(videoOf)),
          list: (query) => lists().videos(customer, of, query),
        };
      },
    ],
  ])('over %s', async (_, makeList) => {
    await fc.assert(
      fc.asyncProperty(walks, async (given) => {
        attempt += 1;
        await checkWalk(given, await makeList(`list${attempt}`));
      }),
      { numRuns: 8 },
    );
  });
});

describe('Runs', () => {
  it('are in the list from the first message on, and stay in their place when they settle, which is for good', async () => {
    const old = buildOpenRun({ id: 'run_old', created_at: isoTime() });
    await storeOpenRun(current())(customer, old);
    await storeOpenRun(current())(customer, { ...old, status: 'queued' });
    await storeOpenRun(current())(customer, buildOpenRun({ id: 'run_new', created_at: isoTime(1) }));
    expect(await readRun(current())(customer, 'run_old')).toEqual(old);

    const late = buildSettledRun({ id: 'run_old', created_at: isoTime(60_000) });
    await storeSettledRun(current())(customer, late);
    await storeSettledRunWithFanOut(current())(customer, { ...late, charge_usd: 9 }, fanOut);
    await storeOpenRun(current())(customer, old);

    const { items } = await lists().runs(customer, { limit: 100 });
    expect(items).toMatchObject([
      { id: 'run_new', status: 'running' },
      { id: 'run_old', status: 'completed', created_at: isoTime() },
    ]);
    expect(await readRun(current())(customer, 'run_old')).toEqual({ ...late, created_at: isoTime() });
  });
});

describe('items of a Run', () => {
  const list = (query: ListQuery) => lists().items(customer, 'run_1', { ...query, type: 'videos' });
  const store = (...videos: readonly VideoItem[]) =>
    storeRunItems(current(), backoff)(customer, 'run_1', videos);

  it('are there although they came before the Run itself, with scores and without', async () => {
    const videos = [buildVideo({ id: 'v2', scores: someScores }), buildVideo({ id: 'v1' })];
    await store(...videos);
    await expect(list({ limit: 25 })).rejects.toMatchObject({ code: 'not_found' });

    await storeSettledRun(current())(customer, buildSettledRun());

    expect(await list({ limit: 25 })).toEqual({ items: videos, next_cursor: null });
  });

  it('stay as they came first, also when another version has another time', async () => {
    await storeSettledRun(current())(customer, buildSettledRun());
    const first = buildVideo({ description: 'first' });
    await store(first, buildVideo({ description: 'in the same message' }));

    await store(buildVideo({ description: 'moved', posted_at: isoTime(5000) }));
    await store(buildVideo({ description: 'renewed' }));
    await store(first);

    expect((await list({ limit: 25 })).items).toEqual([first]);
  });

  it('are completed by the repeat of a message whose worker died before it stored them', async () => {
    await storeSettledRun(current())(customer, buildSettledRun());
    const { client } = current();
    const batchWrite = () => Promise.reject(new Error('killed'));
    const dying = { ...current(), client: { ...client, batchWrite } };
    const interrupted = storeRunItems(dying, backoff)(customer, 'run_1', [buildVideo()]);
    await expect(interrupted).rejects.toThrow('killed');

    await store(buildVideo());

    expect((await list({ limit: 25 })).items).toEqual([buildVideo()]);
  });

  it('are one for each video when versions of it come at once', async () => {
    await storeSettledRun(current())(customer, buildSettledRun());

    await Promise.all(
      Array.from({ length: 10 }, (_, number) => store(buildVideo({ posted_at: isoTime(number * 1000) }))),
    );

    expect((await list({ limit: 25 })).items).toHaveLength(1);
  });

  it('tell videos of two platforms apart that share an id and a time', async () => {
    await storeSettledRun(current())(customer, buildSettledRun());

    await store(buildVideo(), buildVideo({ platform: 'youtube' }));

    const pages = await walk(list, 1);
    expect(pages.map((page) => page.map(({ platform }) => platform))).toEqual([['youtube'], ['tiktok']]);
  });
});

describe("a creator's videos", () => {
  const list = (query: ListQuery, handle = 'maker') =>
    lists().videos(customer, { ...creator, handle }, query);
  const store = (...videos: readonly VideoItem[]) => storeCreatorVideos(current())(customer, creator, videos);
  const snapshotAt = (offset: number) => ({ ...buildVideo().snapshot, at: isoTime(offset) });

  it('move in the list when they are stored again with another time, and are there once', async () => {
    await store(...[1, 2, 3].map((time) => videoOf({ id: time, time })));

    await store(buildVideo({ id: 'v001', posted_at: isoTime(9000) }));
    await store(buildVideo({ id: 'v003', posted_at: isoTime(500) }));

    expect((await walk(list, 1)).map(idsOf)).toEqual([['v001'], ['v002'], ['v003']]);
  });

  it('show the newest snapshot, whatever comes late or again', async () => {
    const newest = buildVideo({ snapshot: snapshotAt(2000), scores: someScores });
    const older = buildVideo({ snapshot: snapshotAt(1000), posted_at: isoTime(7000) });

    const earlier = { ...newest, description: 'earlier in the same message' };

    for (const videos of [[older], [newest], [earlier, newest], [older]]) await store(...videos);

    expect((await list({ limit: 25 })).items).toEqual([newest]);
  });

  it('are one for each video when versions of it come at once', async () => {
    const versions = Array.from({ length: 10 }, (_, number) =>
      buildVideo({ posted_at: isoTime(number * 1000), snapshot: snapshotAt(number) }),
    );

    await Promise.all(versions.map((video) => store(video)));

    expect((await list({ limit: 25 })).items).toEqual([versions.at(-1)]);
  });

  it('are found however the handle is written', async () => {
    await store(buildVideo());

    expect((await list({ limit: 25 }, '@MAKER')).items).toHaveLength(1);
  });

  it('are an empty page when an empty list was stored, and not found when nothing was', async () => {
    await expect(list({ limit: 25 })).rejects.toMatchObject({ code: 'not_found' });

    await store();
    await store();

    expect(await list({ limit: 25 })).toEqual({ items: [], next_cursor: null });
    const another = lists().videos(stranger, creator, { limit: 25 });
    await expect(another).rejects.toMatchObject({ code: 'not_found' });
  });

  it('of a handle with separators are apart from those of others', async () => {
    await storeCreatorVideos(current())(customer, { platform: 'tiktok', handle: 'a#b' }, [buildVideo()]);

    expect((await list({ limit: 25 }, 'A#B')).items).toHaveLength(1);
    await expect(list({ limit: 25 }, 'a')).rejects.toMatchObject({ code: 'not_found' });
    await expect(list({ limit: 25 }, 'a%23b')).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('Trackers', () => {
  it('show their reports also before they are stored themselves', async () => {
    await storeReport('trk_1', buildReport({ added: ['v1'] }));

    const { items } = await lists().changes(customer, 'trk_1', { limit: 25 });

    expect(items).toMatchObject([{ id: 'chg_1', tracker_id: 'trk_1', added: ['v1'] }]);
    expect(await readTracker(current())(customer, 'trk_1')).toBeNull();
    const another = lists().changes(stranger, 'trk_1', { limit: 25 });
    await expect(another).rejects.toMatchObject({ code: 'not_found' });
  });

  it('keep the fan-out of a report that an earlier release stored without its place and its Run', async () => {
    const report = buildReport();
    const told = { trackerId: 'trk_1', report, run: eventRun };
    const first = { ...fanOut, eventId: 'evt_first' };
    const Item = {
      ...changeReportKey(customer, 'trk_1', report),
      report: JSON.stringify(report),
      fan_out: first,
    };
    await current().client.put({ TableName: current().name, Item });

    expect(await storeChangeReport(current())(customer, told, fanOut)).toEqual({
      trackerId: 'trk_1',
      run: eventRun,
      fanOut: first,
    });
  });
});
