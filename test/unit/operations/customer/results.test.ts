import { describe, expect, it } from 'vitest';
import type { StoredRun } from '#shared/contract/records/stored-results.ts';
import { listChangeReports, type ReadTracker } from '#shared/operations/customer/list-change-reports.ts';
import {
  type IsCreatorKnown,
  listCreatorVideos,
  type ReadCreatorVideos,
} from '#shared/operations/customer/list-creator-videos.ts';
import { listRunItems } from '#shared/operations/customer/list-run-items.ts';
import { listRuns } from '#shared/operations/customer/list-runs.ts';
import type { Rows } from '#shared/operations/customer/paging.ts';
import { cursors, foreignCursor } from '../../../support/operations/cursors.ts';
import { unexpected } from '../../../support/operations/deps.ts';
import { customerId } from '../../../support/values/builders.ts';
import {
  buildOpenRun,
  buildReport,
  buildSettledRun,
  buildTracker,
  buildVideo,
} from '../../../support/values/stored-results.ts';

const page = { limit: 2 };

/** Reads a list by page; a position is the index of the next row. */
function rowsOf<T>(rows: readonly T[]) {
  return ({ after, limit }: { readonly after: string | null; readonly limit: number }): Rows<T> => {
    const start = Number(after ?? 0);
    const end = start + limit;
    return { rows: rows.slice(start, end), next: end < rows.length ? String(end) : null };
  };
}

const notFound = expect.objectContaining({ code: 'not_found' });
const videos = ['v3', 'v2', 'v1'].map((id) => buildVideo({ id }));
const idsOf = ({ rows }: { readonly rows: readonly { readonly id?: unknown }[] }) => rows.map(({ id }) => id);

const creator = { platform: 'tiktok', handle: 'Some.One' };
const [runs, reports] = [
  ['run_3', 'run_2', 'run_1'].map((id) => buildSettledRun({ id })),
  ['chg_3', 'chg_2', 'chg_1'].map((id) => buildReport({ id })),
];

const runList = (stored = runs) =>
  listRuns({ cursors, readRuns: async (_customer, request) => rowsOf(stored)(request) });
const itemList = (run: StoredRun | null = buildSettledRun(), items = videos) =>
  listRunItems({
    cursors,
    readRun: async () => run,
    readRunItems: async (_customer, _run, request) => rowsOf(items)(request),
  });
const reportList = (stored = reports, readTracker: ReadTracker = unexpected('readTracker')) =>
  listChangeReports({
    cursors,
    readTracker,
    readChangeReports: async (_customer, _tracker, request) => rowsOf(stored)(request),
  });
const videoList = (
  stored = videos,
  isCreatorKnown: IsCreatorKnown = unexpected('isCreatorKnown'),
  readVideos: ReadCreatorVideos = async (_customer, _creator, request) => rowsOf(stored)(request),
) =>
  listCreatorVideos({
    cursors,
    supportedPlatforms: new Set(['tiktok', 'youtube']),
    isCreatorKnown,
    readCreatorVideos: readVideos,
  });

type Query = { readonly limit: number; readonly cursor?: string };
type List = (
  customer: string,
  query: Query,
) => Promise<{ readonly rows: readonly { readonly id?: unknown }[]; readonly nextCursor: string | null }>;

/** Each list, how it looks when it is empty, and the lists that must refuse its cursors. */
const lists: readonly {
  readonly name: string;
  readonly full: List;
  readonly empty: List;
  readonly others: readonly List[];
}[] = [
  { name: 'listRuns()', full: runList(), empty: runList([]), others: [] },
  {
    name: 'listRunItems()',
    full: (of, query) => itemList()(of, 'run_1', { ...query, type: 'videos' }),
    empty: (of, query) => itemList(buildSettledRun(), [])(of, 'run_1', { ...query, type: 'videos' }),
    others: [(of, query) => itemList()(of, 'run_2', { ...query, type: 'videos' })],
  },
  {
    name: 'listChangeReports()',
    full: (of, query) => reportList()(of, 'trk_1', query),
    empty: (of, query) => reportList([], async () => buildTracker())(of, 'trk_1', query),
    others: [(of, query) => reportList()(of, 'trk_2', query)],
  },
  {
    name: 'listCreatorVideos()',
    full: (of, query) => videoList()(of, creator, query),
    empty: (of, query) => videoList([], async () => true)(of, creator, query),
    others: ['youtube', 'tiktok'].map((platform): List => {
      const handle = platform === 'tiktok' ? 'another' : creator.handle;
      return (of, query) => videoList()(of, { platform, handle }, query);
    }),
  },
];

describe.each(lists)('$name', ({ full, empty, others }) => {
  it('returns its rows page by page', async () => {
    const first = await full(customerId, page);
    const last = await full(customerId, { ...page, cursor: first.nextCursor ?? '' });

    expect([idsOf(first), idsOf(last)].map((ids) => ids.length)).toEqual([2, 1]);
    expect(new Set([...idsOf(first), ...idsOf(last)]).size).toBe(3);
    expect(last.nextCursor).toBeNull();
  });

  it('returns an empty page when there are no rows', async () => {
    expect(await empty(customerId, page)).toEqual({ rows: [], nextCursor: null });
  });

  it('refuses a cursor of another list and of another customer', async () => {
    const { nextCursor } = await full(customerId, page);
    const query = { ...page, cursor: nextCursor ?? '' };

    for (const list of others) await expect(list(customerId, query)).rejects.toMatchObject(foreignCursor);
    await expect(full('cus_other', query)).rejects.toMatchObject(foreignCursor);
  });
});

describe('listRunItems()', () => {
  const query = { ...page, type: 'videos' as const };

  it('returns the items of a partial Run', async () => {
    const list = itemList(buildSettledRun({ status: 'partial' }));

    expect(idsOf(await list(customerId, 'run_1', query))).toEqual(['v3', 'v2']);
  });

  it.each([
    [
      'queued',
      buildOpenRun({ status: 'queued' }),
      'The Run is queued: poll it until it is completed or partial',
    ],
    ['running', buildOpenRun(), 'The Run is running: poll it until it is completed or partial'],
    ['failed', buildSettledRun({ status: 'failed' }), 'The Run failed: it will never have items'],
  ])('refuses a %s Run and says why, without a look at its items', async (_, run, detail) => {
    const list = listRunItems({
      cursors,
      readRun: async () => run,
      readRunItems: unexpected('readRunItems'),
    });

    await expect(list(customerId, 'run_1', query)).rejects.toMatchObject({ code: 'run_not_ready', detail });
  });

  it('answers not_found for a Run that does not exist', async () => {
    await expect(itemList(null)(customerId, 'run_1', query)).rejects.toThrow(notFound);
  });
});

describe('listChangeReports()', () => {
  it('answers not_found for a Tracker without a record and without reports', async () => {
    await expect(reportList([], async () => null)(customerId, 'trk_1', page)).rejects.toThrow(notFound);
  });
});

describe('listCreatorVideos()', () => {
  const unread: ReadCreatorVideos = unexpected('readCreatorVideos');
  const unknown: IsCreatorKnown = unexpected('isCreatorKnown');

  it('continues for every spelling of the handle, and asks for one', async () => {
    const asked: unknown[] = [];
    const list = videoList(videos, unknown, async (_customer, given, request) => {
      asked.push(given);
      return rowsOf(videos)(request);
    });

    const { nextCursor } = await list(customerId, creator, page);
    await list(customerId, { ...creator, handle: '@SOME.one' }, { ...page, cursor: nextCursor ?? '' });

    const known = { platform: 'tiktok', handle: 'some.one' };
    expect(asked).toEqual([known, known]);
  });

  it('answers not_found for a creator that was never stored', async () => {
    await expect(videoList([], async () => false)(customerId, creator, page)).rejects.toThrow(notFound);
  });

  it.each(['@', 'x'.repeat(129), '\ud83d'])(
    'answers not_found for the handle %j, without a read',
    async (handle) => {
      const list = videoList(videos, unknown, unread);

      await expect(list(customerId, { ...creator, handle }, page)).rejects.toThrow(notFound);
    },
  );

  it.each(['vimeo', 'TikTok', ''])(
    'refuses the platform %j without a read, and names the known platforms',
    async (platform) => {
      const list = videoList(videos, unknown, unread);

      await expect(list(customerId, { ...creator, platform }, page)).rejects.toMatchObject({
        code: 'unsupported_platform',
        detail: 'Use a supported platform: tiktok, youtube',
      });
    },
  );
});
