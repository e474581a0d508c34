import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { changeReportKey } from '#shared/aws/table/keys.ts';
import {
  readRun,
  readRuns,
  storeOpenRun,
  storeSettledRun,
  storeSettledRunWithFanOut,
} from '#shared/aws/table/results/runs.ts';
import { readChangeReports, storeChangeReport } from '#shared/aws/table/results/trackers.ts';
import {
  isCreatorKnown,
  readCreatorVideos,
  readRunItems,
  storeCreatorVideos,
  storeRunItems,
} from '#shared/aws/table/results/videos.ts';
import type { VideoItem } from '#shared/contract/records/given-results.ts';
import type { PageRequest, Rows } from '#shared/operations/paging.ts';
import { dyingTable } from '../support/aws/dying-table.ts';
import { useTable } from '../support/aws/table.ts';
import { walkPages } from '../support/operations/walk-pages.ts';
import { buildOpenRun, buildReport, buildSettledRun, buildVideo, isoTime } from '../support/values/stored-results.ts';

const { current } = useTable();

const customer = 'cus_1';
const creator = { platform: 'tiktok', handle: 'maker' };
const fanOut = { eventId: 'evt_1', acceptedAt: 0, deliveries: [] };
const all = { after: null, limit: 100 };

const eventRun = { id: 'run_1', kind: 'tracker_cycle', status: 'completed', chargeUsd: 0.1, trackerId: null };

/** One row of a list that a property test makes: its number is its id, its time has few values, so that many tie. */
type Row = { readonly id: number; readonly time: number };

const newestFirst = (rows: readonly Row[]): readonly number[] =>
  rows.toSorted((left, right) => right.time - left.time || (nameOf(left) < nameOf(right) ? 1 : -1)).map(({ id }) => id);
const nameOf = ({ id }: Row) => String(id).padStart(3, '0');

/** What is there before a walk, more than fits on a page, and what is added after each of its pages. */
const walks = fc
  .uniqueArray(fc.record({ id: fc.nat(999), time: fc.nat(9) }), {
    selector: ({ id }) => id,
    minLength: 10,
    maxLength: 40,
    size: 'max',
  })
  .chain((rows) =>
    fc.record({
      rows: fc.constant(rows),
      split: fc.integer({ min: 5, max: rows.length }),
      step: fc.integer({ min: 1, max: 5 }),
      limit: fc.integer({ min: 1, max: 4 }),
    }),
  );

type Walk = typeof walks extends fc.Arbitrary<infer W> ? W : never;

/** Every row that was there is seen once, in order; what was added is in its place or not there. */
async function checkWalk({ rows, split, step, limit }: Walk, { store, read }: ReturnType<MakeList>): Promise<void> {
  const before = rows.slice(0, split);
  const added = rows.slice(split);
  await store(before);

  const pages = await walkPages(read, limit, () => store(added.splice(0, step)));

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
type MakeList = (name: string) => {
  readonly store: (rows: readonly Row[]) => Promise<void>;
  readonly read: (page: PageRequest) => Promise<Rows<{ readonly id: string }>>;
};

describe('a walk while rows are added returns each row that was there exactly once', () => {
  let attempt = 0;

  it.each<[string, MakeList]>([
    [
      'Runs',
      (name) => ({
        store: async (rows) => {
          for (const row of rows) {
            const head = { id: `run_${nameOf(row)}`, created_at: timeOf(row) };
            if (row.id % 2 === 0) await storeOpenRun(current(), name, buildOpenRun(head));
            else await storeSettledRun(current(), name, buildSettledRun(head));
          }
        },
        read: (page) => readRuns(current(), name, page),
      }),
    ],
    [
      'the items of a Run',
      (name) => ({
        store: (rows) => storeRunItems(current(), customer, name, rows.map(videoOf)),
        read: (page) => readRunItems(current(), customer, name, page),
      }),
    ],
    [
      'Change Reports',
      (name) => ({
        store: async (rows) => {
          for (const row of rows) {
            const report = buildReport({ id: `${name}_${nameOf(row)}`, created_at: timeOf(row) });
            await storeChangeReport(current(), customer, { trackerId: name, report, run: eventRun }, fanOut);
          }
        },
        read: (page) => readChangeReports(current(), customer, name, page),
      }),
    ],
    [
      "a creator's videos",
      (name) => ({
        store: (rows) => storeCreatorVideos(current(), customer, { ...creator, handle: name }, rows.map(videoOf)),
        read: (page) => readCreatorVideos(current(), customer, { ...creator, handle: name }, page),
      }),
    ],
  ])('a walk while rows are added returns each row that was there exactly once over %s', async (_, makeList) => {
    await fc.assert(
      fc.asyncProperty(walks, async (given) => {
        attempt += 1;
        await checkWalk(given, makeList(`list${attempt}`));
      }),
      { numRuns: 4 },
    );
  });
});

it('Runs are in the list from the first message on, and stay in their place when they settle, which is for good', async () => {
  const old = buildOpenRun({ id: 'run_old', created_at: isoTime() });
  await storeOpenRun(current(), customer, old);
  await storeOpenRun(current(), customer, { ...old, status: 'queued' });
  await storeOpenRun(current(), customer, buildOpenRun({ id: 'run_new', created_at: isoTime(1) }));
  expect(await readRun(current(), customer, 'run_old')).toEqual(old);

  const late = buildSettledRun({ id: 'run_old', created_at: isoTime(60_000) });
  await storeSettledRun(current(), customer, late);
  await storeSettledRunWithFanOut(current(), customer, { ...late, charge_usd: 9 }, fanOut);
  await storeOpenRun(current(), customer, old);

  expect((await readRuns(current(), customer, all)).rows).toMatchObject([
    { id: 'run_new', status: 'running' },
    { id: 'run_old', status: 'completed', created_at: isoTime() },
  ]);
  expect(await readRun(current(), customer, 'run_old')).toEqual({ ...late, created_at: isoTime() });
});

describe('items of a Run', () => {
  const read = (page: PageRequest) => readRunItems(current(), customer, 'run_1', page);
  const items = async () => (await read(all)).rows;
  const store = (...videos: readonly VideoItem[]) => storeRunItems(current(), customer, 'run_1', videos);

  it('items of a Run stay as they came first, also when another version has another time', async () => {
    const first = buildVideo({ description: 'first' });
    await store(first, buildVideo({ description: 'in the same message' }));

    await store(buildVideo({ description: 'moved', posted_at: isoTime(5000) }));
    await store(buildVideo({ description: 'renewed' }));
    await store(first);

    expect(await items()).toEqual([first]);
  });

  it('items of a Run are completed by the repeat of a message whose worker died before it stored them', async () => {
    const dying = dyingTable(current(), 1);
    const interrupted = storeRunItems(dying, customer, 'run_1', [buildVideo()]);
    await expect(interrupted).rejects.toThrow('killed');

    await store(buildVideo());

    expect(await items()).toEqual([buildVideo()]);
  });

  it('items of a Run are one for each video when versions of it come at once', async () => {
    await Promise.all(
      Array.from({ length: 10 }, (_, number) => store(buildVideo({ posted_at: isoTime(number * 1000) }))),
    );

    expect(await items()).toHaveLength(1);
  });

  it('items of a Run tell videos of two platforms apart that share an id and a time', async () => {
    await store(buildVideo(), buildVideo({ platform: 'youtube' }));

    const pages = await walkPages(read, 1);
    expect(pages.map((page) => page.map(({ platform }) => platform))).toEqual([['youtube'], ['tiktok']]);
  });
});

describe("a creator's videos", () => {
  const read = (page: PageRequest) => readCreatorVideos(current(), customer, creator, page);
  const store = (...videos: readonly VideoItem[]) => storeCreatorVideos(current(), customer, creator, videos);
  const snapshotAt = (offset: number) => ({ ...buildVideo().snapshot, at: isoTime(offset) });

  it('move in the list when they are stored again with another time, and are there once', async () => {
    await store(...[1, 2, 3].map((time) => videoOf({ id: time, time })));

    await store(buildVideo({ id: 'v001', posted_at: isoTime(9000) }));
    await store(buildVideo({ id: 'v003', posted_at: isoTime(500) }));

    const pages = await walkPages(read, 1);
    expect(pages.map((page) => page.map(({ id }) => id))).toEqual([['v001'], ['v002'], ['v003']]);
  });

  it('show the newest snapshot, whatever comes late or again', async () => {
    const newest = buildVideo({ snapshot: snapshotAt(2000) });
    const older = buildVideo({ snapshot: snapshotAt(1000), posted_at: isoTime(7000) });

    const earlier = { ...newest, description: 'earlier in the same message' };

    for (const videos of [[older], [earlier, newest, older], [older]]) await store(...videos);

    expect((await read(all)).rows).toEqual([newest]);
  });

  it('are one for each video when versions of it come at once', async () => {
    const versions = Array.from({ length: 10 }, (_, number) =>
      buildVideo({ posted_at: isoTime(number * 1000), snapshot: snapshotAt(number) }),
    );

    await Promise.all(versions.map((video) => store(video)));

    expect((await read(all)).rows).toEqual([versions.at(-1)]);
  });

  it('make their creator known to its customer, also when there are none', async () => {
    const isKnown = (of: string) => isCreatorKnown(current(), of, creator);
    const before = await isKnown(customer);
    await store();
    await store();

    expect([before, await isKnown(customer), await isKnown('cus_2')]).toEqual([false, true, false]);
    expect(await read(all)).toEqual({ rows: [], next: null });
  });

  it('of a handle with separators are apart from those of others', async () => {
    const handles = ['a#b', 'a', 'a%23b'];
    await storeCreatorVideos(current(), customer, { ...creator, handle: 'a#b' }, [buildVideo()]);

    const known = handles.map((handle) => isCreatorKnown(current(), customer, { ...creator, handle }));
    expect(await Promise.all(known)).toEqual([true, false, false]);
  });
});

it('a report that an earlier release stored without its place and its Run keeps its fan-out', async () => {
  const report = buildReport();
  const told = { trackerId: 'trk_1', report, run: eventRun };
  const first = { ...fanOut, eventId: 'evt_first' };
  const key = changeReportKey(customer, 'trk_1', report);
  await current().putItems([{ ...key, report: JSON.stringify(report), fan_out: first }]);

  expect(await storeChangeReport(current(), customer, told, fanOut)).toEqual({
    trackerId: 'trk_1',
    run: eventRun,
    fanOut: first,
  });
});
