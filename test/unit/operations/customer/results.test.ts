import { describe, expect, it } from 'vitest';
import type { StoredRun } from '#shared/contract/records/stored-results.ts';
import { listChangeReports } from '#shared/operations/customer/list-change-reports.ts';
import { listCreatorVideos } from '#shared/operations/customer/list-creator-videos.ts';
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

const other = 'cus_other';
const notFound = expect.objectContaining({ code: 'not_found' });
const videos = ['v3', 'v2', 'v1'].map((id) => buildVideo({ id }));
const idsOf = ({ rows }: { readonly rows: readonly { readonly id?: unknown }[] }) => rows.map(({ id }) => id);

describe('listRuns()', () => {
  const stored = [buildOpenRun({ id: 'run_3' }), buildSettledRun({ id: 'run_2' }), buildSettledRun()];
  const list = listRuns({
    cursors,
    readRuns: async (customer, request) => rowsOf(customer === customerId ? stored : [])(request),
  });

  it('returns the Runs page by page', async () => {
    const first = await list(customerId, page);
    const last = await list(customerId, { ...page, cursor: first.nextCursor ?? '' });

    expect(idsOf(first)).toEqual(['run_3', 'run_2']);
    expect(idsOf(last)).toEqual(['run_1']);
    expect(last.nextCursor).toBeNull();
  });

  it('refuses a cursor of another customer', async () => {
    const { nextCursor } = await list(customerId, page);

    await expect(list(other, { ...page, cursor: nextCursor ?? '' })).rejects.toMatchObject(foreignCursor);
  });
});

describe('listRunItems()', () => {
  const query = { ...page, type: 'videos' as const };
  const listOf = (run: StoredRun | null, items = videos) =>
    listRunItems({
      cursors,
      readRun: async () => run,
      readRunItems: async (_customer, _run, request) => rowsOf(items)(request),
    });

  it.each(['completed', 'partial'] as const)('returns the items of a %s Run page by page', async (status) => {
    const list = listOf(buildSettledRun({ status }));

    const first = await list(customerId, 'run_1', query);
    const last = await list(customerId, 'run_1', { ...query, cursor: first.nextCursor ?? '' });

    expect([...first.rows, ...last.rows]).toEqual(videos);
    expect(last.nextCursor).toBeNull();
  });

  it('returns an empty page for a Run without items', async () => {
    const list = listOf(buildSettledRun(), []);

    expect(await list(customerId, 'run_1', query)).toEqual({ rows: [], nextCursor: null });
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
    await expect(listOf(null)(customerId, 'run_1', query)).rejects.toThrow(notFound);
  });

  it('refuses a cursor of another Run', async () => {
    const list = listOf(buildSettledRun());
    const { nextCursor } = await list(customerId, 'run_1', query);

    const foreign = list(customerId, 'run_2', { ...query, cursor: nextCursor ?? '' });

    await expect(foreign).rejects.toMatchObject(foreignCursor);
  });
});

describe('listChangeReports()', () => {
  const reports = ['chg_3', 'chg_2', 'chg_1'].map((id) => buildReport({ id }));
  const listOf = (stored: typeof reports, tracker = true) =>
    listChangeReports({
      cursors,
      readTracker: async () => (tracker ? buildTracker() : null),
      readChangeReports: async (_customer, _tracker, request) => rowsOf(stored)(request),
    });

  it.each([true, false])(
    'returns the reports of a Tracker page by page (Tracker stored: %s)',
    async (stored) => {
      const list = listOf(reports, stored);

      const first = await list(customerId, 'trk_1', page);
      const last = await list(customerId, 'trk_1', { ...page, cursor: first.nextCursor ?? '' });

      expect([...idsOf(first), ...idsOf(last)]).toEqual(['chg_3', 'chg_2', 'chg_1']);
      expect(last.nextCursor).toBeNull();
    },
  );

  it('returns an empty page for a Tracker without reports', async () => {
    expect(await listOf([])(customerId, 'trk_1', page)).toEqual({ rows: [], nextCursor: null });
  });

  it('answers not_found for a Tracker without a record and without reports', async () => {
    await expect(listOf([], false)(customerId, 'trk_1', page)).rejects.toThrow(notFound);
  });

  it('does not read the Tracker when there are reports', async () => {
    const list = listChangeReports({
      cursors,
      readTracker: unexpected('readTracker'),
      readChangeReports: async (_customer, _tracker, request) => rowsOf(reports)(request),
    });

    expect(idsOf(await list(customerId, 'trk_1', page))).toEqual(['chg_3', 'chg_2']);
  });
});

describe('listCreatorVideos()', () => {
  const creator = { platform: 'tiktok', handle: 'Some.One' };
  const asked: unknown[] = [];
  const listOf = (stored: typeof videos, known: () => boolean = unexpected('isCreatorKnown')) =>
    listCreatorVideos({
      cursors,
      supportedPlatforms: new Set(['tiktok', 'youtube']),
      isCreatorKnown: async () => known(),
      readCreatorVideos: async (_customer, given, request) => {
        asked.push(given);
        return rowsOf(stored)(request);
      },
    });

  it('returns the videos page by page, for every spelling of the handle', async () => {
    const list = listOf(videos);
    asked.length = 0;

    const first = await list(customerId, creator, page);
    const last = await list(
      customerId,
      { ...creator, handle: '@SOME.one' },
      { ...page, cursor: first.nextCursor ?? '' },
    );

    expect([...first.rows, ...last.rows]).toEqual(videos);
    expect(asked).toEqual([
      { platform: 'tiktok', handle: 'some.one' },
      { platform: 'tiktok', handle: 'some.one' },
    ]);
  });

  it('returns an empty page for a creator stored without videos', async () => {
    const list = listOf([], () => true);

    expect(await list(customerId, creator, page)).toEqual({ rows: [], nextCursor: null });
  });

  it('answers not_found for a creator that was never stored', async () => {
    await expect(listOf([], () => false)(customerId, creator, page)).rejects.toThrow(notFound);
  });

  it.each(['@', 'x'.repeat(129), '\ud83d'])(
    'answers not_found for the handle %j, without a read',
    async (handle) => {
      await expect(listOf(videos)(customerId, { ...creator, handle }, page)).rejects.toThrow(notFound);
    },
  );

  it.each(['vimeo', 'TikTok', ''])(
    'refuses the platform %j, and names the known platforms',
    async (platform) => {
      await expect(listOf(videos)(customerId, { ...creator, platform }, page)).rejects.toMatchObject({
        code: 'unsupported_platform',
        detail: 'Use a supported platform: tiktok, youtube',
      });
    },
  );

  it('refuses a cursor of another creator', async () => {
    const list = listOf(videos);
    const { nextCursor } = await list(customerId, creator, page);
    const query = { ...page, cursor: nextCursor ?? '' };

    await expect(list(customerId, { ...creator, platform: 'youtube' }, query)).rejects.toMatchObject(
      foreignCursor,
    );
    await expect(list(customerId, { ...creator, handle: 'another' }, query)).rejects.toMatchObject(
      foreignCursor,
    );
    await expect(list(other, creator, query)).rejects.toMatchObject(foreignCursor);
  });
});
